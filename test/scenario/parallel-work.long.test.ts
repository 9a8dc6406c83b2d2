import { expect, it } from 'vitest';
import { follow } from '../support/followed-page.ts';

it('the page on parallel work can be followed from its first command to its last', async () => {
  const { code, output } = await follow('docs/parallel-work.md');
  expect(output).toMatch(/reviewer .*delivered/);
  expect(output).toContain('# Features\n\n- import\n- export\n');
  expect(output).toContain('── part (opens up to 5 sub-threads, waits for all) ──▶ engineer ── built ──▶');
  expect(output.match(/ resolves a conflict: /g)).toHaveLength(3);
  expect(output).toMatch(/ closed .* └ Build the search\.\n/);
  expect(output).toMatch(/together\s+SUCCEEDED/);
  expect(output).toContain('- import\n- export\n- one\n- two\n');
  expect(output).toMatch(/[0-9a-f]+ together: /);
  expect(output).not.toMatch(/E_INTERNAL|E_CONFLICT/);
  expect(code).toBe(0);
});
