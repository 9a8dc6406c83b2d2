import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import fc from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { looksLikeFailure, outputExcerpt } from '../../src/kernel/output-excerpt.ts';

/** Outputs with long lines, empty ones, failures, and characters of several bytes. */
const someLine = fc.oneof(
  { weight: 8, arbitrary: fc.string({ maxLength: 60 }).map((text) => text.replaceAll(/[\r\n]/g, ' ')) },
  { weight: 1, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 999 }).map((n) => `not ok ${String(n)} - breaks`) },
  { weight: 1, arbitrary: fc.integer({ min: 400, max: 3_000 }).map((n) => '界😀'.repeat(n)) },
);
const someOutput = fc.array(someLine, { maxLength: 900 }).map((lines) => lines.join('\n'));

const gap = /^\[… (\d+) lines? …\]$/;

/** The lines as a reader would count them. */
const linesOf = (output: string) =>
  output.trim() === ''
    ? []
    : output
        .trim()
        .split(/\r\n|\n|\r/)
        .map((line) => line.trimEnd());

describe('the excerpt of an output', () => {
  it('never exceeds 200 lines or 16 KB', () => {
    fc.assert(
      fc.property(someOutput, (output) => {
        const excerpt = outputExcerpt(output);
        expect(excerpt.length).toBeLessThanOrEqual(200);
        expect(Buffer.byteLength(excerpt.join('\n'))).toBeLessThanOrEqual(16 * 1024);
      }),
    );
  });

  it('has lines of the output in their order, and counts those that it leaves out', () => {
    fc.assert(
      fc.property(someOutput, (output) => {
        const lines = linesOf(output);
        let at = 0;
        for (const line of outputExcerpt(output)) {
          const left = gap.exec(line)?.[1];
          if (left !== undefined) at += Number(left);
          else {
            const whole = lines[at] ?? '';
            expect(whole.startsWith(line.replace(/…$/, ''))).toBe(true);
            expect(line === whole || line.length >= 499).toBe(true);
            at += 1;
          }
        }
        expect(at).toBe(lines.length);
      }),
    );
  });

  it('has the last line, the first line, and the first line that looks like a failure', () => {
    fc.assert(
      fc.property(someOutput, (output) => {
        const lines = linesOf(output);
        const excerpt = outputExcerpt(output);
        const first = lines.find(looksLikeFailure);
        const isShown = (line: string) =>
          excerpt.some(
            (shown) => shown === line || (shown.endsWith('…') && line.startsWith(shown.slice(0, -1))),
          );
        for (const line of [lines[0], first, lines.at(-1)])
          if (line !== undefined) expect(isShown(line)).toBe(true);
      }),
    );
  });

  it('is the whole of a short output, without its empty end', () => {
    expect(outputExcerpt('')).toEqual([]);
    expect(outputExcerpt('\n \n')).toEqual([]);
    expect(outputExcerpt('one\r\ntwo  \n\nthree\n\n')).toEqual(['one', 'two', '', 'three']);
    const numbers = Array.from({ length: 200 }, (_, number) => String(number));
    expect(outputExcerpt(numbers.join('\n'))).toEqual(numbers);
  });

  it('finds the failing test in a long output of node --test', () => {
    const folder = mkdtempSync(join(tmpdir(), 'mailroom-excerpt-'));
    try {
      const passing = Array.from(
        { length: 400 },
        (_, number) => `test('passes ${String(number)}', () => {});`,
      );
      passing.splice(200, 0, `test('adds two numbers', () => assert.equal(1 + 1, 3));`);
      const file = join(folder, 'sum.test.mjs');
      writeFileSync(
        file,
        `import test from 'node:test';\nimport assert from 'node:assert';\n${passing.join('\n')}\n`,
      );
      for (const reporter of ['tap', 'spec']) {
        const output = failingOutput(file, reporter);
        expect(linesOf(output).length).toBeGreaterThan(400);
        const excerpt = outputExcerpt(output);
        expect(excerpt.some((line) => line.includes('adds two numbers'))).toBe(true);
        expect(excerpt.some((line) => line.includes('2 == 3'))).toBe(true);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

function failingOutput(file: string, reporter: string): string {
  try {
    execFileSync(process.execPath, ['--test', `--test-reporter=${reporter}`, file], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { PATH: process.env['PATH'] },
    });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
  throw new Error('the test was to fail');
}

describe('a line that looks like a failure', () => {
  it('is one of a test program, a compiler or a linter, and no count of none', () => {
    const failures = [
      'not ok 3 - adds',
      '✖ adds two numbers (1.2ms)',
      'src/a.ts(3,1): error TS2322: Type',
      'AssertionError [ERR_ASSERTION]: 2 !== 3',
      'E   assert 2 == 3',
      '--- FAIL: TestAdd (0.00s)',
      "thread 'main' panicked at src/main.rs",
      '  × adds two numbers',
      'Traceback (most recent call last):',
    ];
    expect(failures.filter((line) => !looksLikeFailure(line))).toEqual([]);
    const others = ['ok 1 - adds', '# fail 0', 'ℹ fail 0', '0 errors, 0 warnings', 'Building …', ''];
    expect(others.filter(looksLikeFailure)).toEqual([]);
  });
});
