import { expect, it } from 'vitest';
import { follow } from '../support/followed-page.ts';

it('the commands of README.md can be followed from the first to the last', { timeout: 240_000 }, async () => {
  const { code, output } = await follow('README.md');
  expect(output).toMatch(/ok: 4 roles, /);
  expect(output).toMatch(/engineer → user: delivered — /);
  expect(output).toMatch(/idle: done/);
  expect(output).toMatch(/first-look +SUCCEEDED/);
  expect(code).toBe(0);
});
