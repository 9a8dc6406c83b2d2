import { expect, it } from 'vitest';
import { follow } from '../support/followed-page.ts';

it('the guide to workflows can be followed from its first command to its last', async () => {
  const { code, output } = await follow('docs/workflows.md');
  expect(output).toMatch(/survey SUCCEEDED/);
  expect(output).toMatch(/# Release notes/);
  expect(output).toMatch(/review SKIPPED: its condition was false/);
  expect(output).toMatch(/FAILED in .*: deploy: exit code 1/);
  expect(output).toMatch(/build +reused +SUCCEEDED\ndeploy +runs/);
  expect(output).toMatch(/dead\/deploy\/letter\.json/);
  expect(output).toMatch(/▸ work, round 3/);
  expect(output).toMatch(/✓ greet SUCCEEDED/);
  expect(output).toMatch(/ship-it is approved by/);
  expect(output).toMatch(/✓ improve\/1\/review SUCCEEDED/);
  expect(output).toMatch(/deployed with \*\*\*/);
  expect(output).not.toMatch(/E_INTERNAL|hunter2/);
  expect(code).toBe(0);
});
