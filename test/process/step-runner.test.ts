import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Exit } from '../../src/core/ports.ts';
import { ProcessStepRunner } from '../../src/process/step-runner.ts';
import { temporaryFolder } from './support.ts';

it('never begins what is stopped while it still looks at what lies in the workspace', async () => {
  const workspace = temporaryFolder();
  const file = (name: string) => join(workspace, name);
  const command = {
    argv: ['sh', '-c', 'echo begun > begun.txt'],
    env: {},
    inherit: ['PATH'],
    files: {},
    stdin: '',
    writable: [],
  };
  const exit = await new Promise<Exit>((resolve) => {
    const runner = new ProcessStepRunner(
      { project: workspace, mark: 'step-runner-test:', contain: () => ({ kind: 'group' }) },
      { ended: (_key, ended) => resolve(ended) },
    );
    const limits = { totalMs: null, graceMs: null, secrets: [], watched: true };
    const places = { workspace, folder: workspace, stdout: file('out'), stderr: file('err') };
    runner.start({ key: 'a', provider: null, capabilities: null, owed: [], command, ...places, ...limits });
    runner.stop('a');
  });
  expect(exit).toMatchObject({ ended: 'spawn-failed', error: 'it was stopped before it began' });
  expect(existsSync(file('begun.txt'))).toBe(false);
});
