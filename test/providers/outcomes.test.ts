import { expect, test } from 'vitest';
import { because } from '../../src/providers/outcomes.ts';

const folder = '/srv/shop/.mailroom/worktrees/t1.1';
const stack = Array.from({ length: 9 }, (_, at) => `    at Module._load (node:internal/modules/cjs:${at})`);
const missing = `Error: Cannot find module '${folder}/agents/rehearsal.mjs'`;

/** What node prints of a script that does not exist. */
const crash = `node:internal/modules/cjs/loader:1207\n  throw err;\n  ^\n\n${missing}\n${stack.join('\n')} {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js v20.20.0
`;

test('the message of a crash has its beginning, the line that names the error, and its end', () => {
  const said = because('node ended with exit code 1', crash);
  expect(said).toContain(missing);
  expect(said).toMatch(/^node ended with exit code 1: node:internal\/modules\/cjs\/loader:1207 .* … Error: /);
  expect(said).toMatch(/Node\.js v20\.20\.0$/);
  expect(said.length).toBeLessThanOrEqual(330);
});

test('a very long error keeps its beginning and its end', () => {
  const path = `${'/folder'.repeat(80)}/last.mjs`;
  const said = because('it failed', `Error: Cannot find module '${path}'\n${stack.join('\n')}`);
  expect(said).toMatch(/^it failed: Error: Cannot find module .*….*last\.mjs' … /);
  expect(said.length).toBeLessThanOrEqual(320);
});

test('the error is found before megabytes of other output', () => {
  expect(because('it failed', `${missing}\n${'more output\n'.repeat(500_000)}`)).toContain(missing);
});

test('a short output is shown whole, and one without a named error by its end', () => {
  expect(because('it failed', 'one\n  two\u001b[0m\n')).toBe('it failed: one two');
  expect(because('it failed', `${'word '.repeat(100)}the end`)).toMatch(/^it failed: ….*the end$/);
  expect(because('it failed', '')).toBe('it failed');
});
