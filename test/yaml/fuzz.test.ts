import { readFileSync } from 'node:fs';
import fc, { runs } from '../support/fast-check.ts';
import { describe, expect, test } from 'vitest';
import type { Checked } from '../../src/kernel/diagnostic.ts';
import { parseConfig } from '../../src/config/read.ts';
import { renderDiagnostics } from '../../src/yaml/diagnostics.ts';
import { readPlain } from '../../src/yaml/plain-document.ts';
import { parseProtocol } from '../../src/mail/protocol/read.ts';

/*
 * Whatever the text: a value, or located problems that can be shown; never an exception, never a long time.
 */

const example = readFileSync(new URL('../mail/protocol/feature-team.yaml', import.meta.url), 'utf8');
const settings = readFileSync(new URL('../../mailroom.yaml', import.meta.url), 'utf8');
/** Where the example can be cut in two files. */
const cut = example.indexOf('expects:');

interface File {
  readonly file: string;
  readonly text: string;
}

interface Format {
  readonly good: string;
  /** The files that are read when this is the text of the first. */
  readonly files: (text: string) => readonly File[];
  readonly parse: (files: readonly File[]) => Checked<unknown>;
}

const formats: Record<string, Format> = {
  protocol: {
    good: example,
    files: (text) => [{ file: 'p.yaml', text }],
    parse: (files) => parseProtocol(files),
  },
  'protocol in two files': {
    good: example.slice(0, cut),
    files: (text) => [
      { file: 'p.yaml', text },
      { file: 'q.yaml', text: example.slice(cut) },
    ],
    parse: (files) => parseProtocol(files),
  },
  configuration: {
    good: settings,
    files: (text) => [{ file: 'mailroom.yaml', text }],
    parse: (files) => parseConfig(files[0]!.text, files[0]!.file),
  },
};

/** A result, and the seconds of this process's own work that it took: the machine may be busy with something else. */
function timed<T>(work: () => T): { readonly result: T; readonly seconds: number } {
  const before = process.cpuUsage();
  const result = work();
  return { result, seconds: process.cpuUsage(before).user / 1e6 };
}

function survives(text: string, { files, parse }: Format): void {
  const { result, seconds } = timed(() => parse(files(text)));
  expect(seconds).toBeLessThan(1);
  if (result.ok) return;
  expect(result.problems.some((problem) => problem.severity === 'error')).toBe(true);
  const lines = new Map(
    files(text).map((each) => [each.file, each.text.replace(/^\ufeff/, '').split(/\r?\n/)]),
  );
  for (const { place } of result.problems) {
    if (place === null) continue;
    expect(place.text).toBe(lines.get(place.file)?.[place.line - 1]);
    expect(place.column - 1).toBeLessThanOrEqual(place.text.length);
    expect(place.length).toBeGreaterThan(0);
  }
  expect(renderDiagnostics(result.problems)).not.toBe('');
}

/** Small pieces with a meaning to YAML or to us. */
const piece = fc.oneof(
  fc.constantFrom(
    '\n',
    ' ',
    '  ',
    '\t',
    ': ',
    ':',
    '- ',
    '? ',
    '[',
    ']',
    '{',
    '}',
    ',',
    '#',
    ' #',
    '"',
    "'",
    '|\n',
    '>',
    '&a ',
    '*a',
    '!t ',
    '%',
    '---\n',
    '...\n',
    '<<: ',
    'null',
    'true',
    '0',
    '-1',
    '.inf',
    '1e999',
    '5m',
    '400k',
    'user',
    'workflow',
    'notice',
    'engineer',
    'roles:',
    'messages:',
    'expects:',
    'limits:',
    '__proto__: ',
    'constructor: ',
    '\r\n',
    '\ufeff',
    '\0',
    '\u2028',
    '${{ a ? b : c }}',
  ),
  fc.string({ maxLength: 8 }),
  fc.string({ maxLength: 4, unit: 'binary' }),
);

/** An edit: somewhere, some characters are replaced by a piece, or lines change places. */
const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  drop: fc.nat({ max: 12 }),
  put: piece,
});

function mutate(text: string, edits: readonly { at: number; drop: number; put: string }[]): string {
  return edits.reduce((before, { at, drop, put }) => {
    const index = Math.floor(at * before.length);
    return before.slice(0, index) + put + before.slice(index + drop);
  }, text);
}

describe.each(Object.entries(formats))('%s', (_name, format) => {
  const { good } = format;

  test('the text that is mutated is good', () => {
    expect(format.parse(format.files(good))).toMatchObject({ ok: true, warnings: [] });
  });

  test('survives a few edits', () => {
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 6 }), (edits) =>
        survives(mutate(good, edits), format),
      ),
      { numRuns: runs(20) },
    );
  });

  test('survives lines lost, doubled and moved', () => {
    const lines = good.split('\n');
    const order = fc.array(fc.nat({ max: lines.length - 1 }), { maxLength: lines.length * 2 });
    fc.assert(
      fc.property(order, (indexes) => survives(indexes.map((index) => lines[index]).join('\n'), format)),
      { numRuns: runs(17) },
    );
  });

  test('survives any text', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => survives(pieces.join(''), format)),
      { numRuns: runs(20) },
    );
  });

  test('survives any JSON', () => {
    const keys = fc.constantFrom(
      'roles',
      'messages',
      'expects',
      'limits',
      'start',
      'from',
      'to',
      'reply',
      'a',
      'user',
      'any',
      'budget',
      'providers',
      'defaults',
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(null, 1, 'a', 'user', true, []),
        tie('map'),
        tie('list'),
      ),
      map: fc.dictionary(keys, tie('tree'), { maxKeys: 6 }),
      list: fc.array(tie('tree'), { maxLength: 3 }),
    }));
    fc.assert(
      fc.property(tree, (value) => survives(JSON.stringify(value), format)),
      { numRuns: runs(20) },
    );
  });
});

describe('hostile texts take no long time', () => {
  const many = (count: number, line: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => line(index)).join('');
  test.each<[string, string]>([
    ['more than is read', many(300_000, () => 'a')],
    ['a wide map', `roles:\n${many(5000, (index) => `  r${index}: {}\n`)}`],
    ['a wide map of unknown keys', many(10_000, (index) => `k${index}: 1\n`)],
    [
      'many unknown names',
      `messages:\n${many(3000, (index) => `  t${index}: { from: user, to: r${index}, reply: x${index} }\n`)}`,
    ],
    ['a deep list', '['.repeat(200_000)],
    ['a deep block', '- '.repeat(100_000)],
    ['many syntax errors', many(20_000, () => 'a: b: c\n')],
    ['many aliases', `a: &a [1]\nb: [${many(40_000, () => '*a,')}]\n`],
    ['one long line', `name: "${'x'.repeat(200_000)}"\n${'k'.repeat(50_000)}: 1\n`],
    [
      'a chain of roles',
      `roles:\n${many(1500, (index) => `  r${index}: { provider: claude }\n`)}messages:\n${many(1500, (index) => `  t${index}: { from: ${index === 1499 ? 'user' : `r${index + 1}`}, to: r${index} }\n`)}`,
    ],
  ])('%s', (_name, text) => {
    expect(timed(() => parseProtocol([{ file: 'p.yaml', text }])).seconds).toBeLessThan(5);
  });

  test('many spaces in a line', () => {
    const text = `a: b${' '.repeat(250_000)}c\nd: e${' '.repeat(250_000)}# f\n`;
    expect(timed(() => readPlain(text, 'm.md')).seconds).toBeLessThan(5);
  });
});
