import { expect, it } from 'vitest';
import { follow } from '../support/followed-page.ts';

it('the tutorial can be followed from its first command to its last', async () => {
  const { code, output } = await follow('docs/tutorial.md');
  expect(output).toMatch(/ok: 4 roles, 5 types/);
  expect(output).toMatch(/idle: waiting for /);
  expect(output).toMatch(/waits for qa .*\n.*owes engineer an answer to review-request/);
  expect(output).toMatch(/something failed: exit code 1/);
  const delivered = [...output.matchAll(/qa → user: delivered — (.*) \(/g)].map(([, what]) => what);
  expect(delivered).toEqual(['Delivered: subtract', 'Division works.', 'I ran the tests.']);
  expect(code).toBe(0);
});
