import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runMessageChecks } from '../../../src/host/runner/message-checks.ts';
import type { ProcessResult } from '../../../src/process/types.ts';
import { workspaceTree } from '../../../src/git/workspace-tree.ts';
import { temporaryFolder } from '../../process/support.ts';

it('sees that a file with a line break in its path has changed', async () => {
  const workspace = temporaryFolder();
  execFileSync('git', ['init', '-q'], { cwd: workspace });
  const tree = await workspaceTree(workspace);
  mkdirSync(join(workspace, 'src/a\nb'), { recursive: true });
  writeFileSync(join(workspace, 'src/a\nb/c.ts'), 'changed');
  const problems = (glob: string) =>
    runMessageChecks(
      [{ check: { kind: 'changed', globs: [glob] }, message: 'm' }],
      workspace,
      tree,
      null,
      () => Promise.reject(new Error('no program is run')),
    );
  expect(await problems('src/**')).toEqual([]);
  expect(await problems('docs/**')).toEqual([
    '`m` cannot be sent yet: something in docs/** must have changed',
  ]);
});

it.each(['timeout', 'stopped', 'idle'] as const)(
  'does not count a program as passed that was ended (%s), whatever code it ends with',
  async (reason) => {
    const result = { reason, exitCode: 0, error: null, stdout: '', stderr: '' } as ProcessResult;
    const check = { kind: 'run', argv: ['npm', 'test'], timeout: 1, on: 'own' } as const;
    const ran = { result, stdoutFile: '', stderrFile: '' };
    const problems = await runMessageChecks([{ check, message: 'm' }], '/', null, null, () =>
      Promise.resolve(ran),
    );
    expect(problems).toEqual([
      `\`m\` cannot be sent yet: \`npm test\` must succeed, but ended with ${reason}`,
    ]);
  },
);
