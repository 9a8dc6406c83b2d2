import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startLineProgram, type LineProgram } from '../../src/process/supervision/line-program.ts';
import { freshMark, marked, until } from './support.ts';

let folder = '';
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'mailroom-lines-'))));
afterEach(() => rmSync(folder, { recursive: true }));

interface Heard {
  readonly lines: string[];
  readonly ends: string[];
  readonly program: LineProgram;
}

/** Starts a program of node with this text. */
async function begin(text: string, mark = freshMark(), more: object = {}): Promise<Heard> {
  writeFileSync(join(folder, 'program.mjs'), text);
  const lines: string[] = [];
  const ends: string[] = [];
  const spec = {
    argv: ['node', 'program.mjs'],
    cwd: folder,
    env: { PATH: process.env['PATH']! },
    mark,
    secrets: ['secret-token'],
    longestLine: 20,
    graceMs: 300,
    ...more,
  };
  const program = await startLineProgram(spec, {
    line: (line, isCut) => lines.push(isCut ? `${line}…` : line),
    ended: (reason) => ends.push(reason),
  });
  return { lines, ends, program };
}

const echo = `import { createInterface } from 'node:readline';
for await (const line of createInterface({ input: process.stdin })) console.log('got ' + line);
process.stderr.write('bye\\n');
`;

it('exchanges lines, masks secrets, cuts what is too long, and ends the program with its input', async () => {
  const { lines, ends, program } = await begin(echo);
  program.write('ü secret-token');
  program.write('x'.repeat(50));
  await until('both lines came back', () => lines.length === 2);
  expect(lines).toEqual(['got ü ***', `got ${'x'.repeat(16)}…`]);
  expect(ends).toEqual([]);
  await program.end();
  expect(ends).toEqual(['it ended with exit code 0: bye']);
  program.write('late');
});

it.each([
  [['no-such-program'], 'command not found: no-such-program'],
  [
    ['node', '-e', 'console.error("a\\nno secret-token"); process.exit(3)'],
    'it ended with exit code 3: no ***',
  ],
  [['node', '-e', 'process.kill(process.pid, "SIGKILL")'], 'SIGKILL ended it'],
])('says why %s has ended', async (argv, reason) => {
  const { ends } = await begin('', freshMark(), { argv });
  await until('it has ended', () => ends.length > 0);
  expect(ends).toEqual([reason]);
});

const deaf = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('here');`;

it('kills a program that does not end, and what an earlier host has left, before it starts the next', async () => {
  const mark = freshMark();
  const first = await begin(deaf, mark);
  await until('the first is there', () => first.lines.length === 1);
  const second = await begin(deaf, mark);
  await until('the first is gone', () => first.ends.length === 1);
  expect(first.ends).toEqual(['SIGKILL ended it']);
  await until('the second is there', () => second.lines.length === 1);
  expect(marked(mark)).toHaveLength(1);
  await second.program.end();
  expect([second.ends, marked(mark)]).toEqual([['SIGKILL ended it'], []]);
});
