import { expect, it, vi } from 'vitest';
import { ProcessRunner } from '../../src/host/runner/agents.ts';
import { invocation } from '../providers/samples.ts';
import { temporaryFolder } from './support.ts';
import type { Outcome, Provider } from '../../src/providers/provider.ts';
import type { AgentJob } from '../../src/host/runner/runner.ts';

vi.mock(import('../../src/process/temporaries.ts'), async (original) => ({
  ...(await original()),
  inTemporary: () => Promise.reject(new Error("ENOSPC: no space left on device, mkdtemp '/tmp/x'")),
}));

function never(): never {
  throw new Error('nothing is started');
}

it('tries a turn again later for which there is no room now', async () => {
  const workspace = temporaryFolder();
  const own: Provider = {
    name: 'own',
    sessions: false,
    notEnforced: [],
    mcp: true,
    restrict: never,
    start: () => ({ argv: ['true'], env: {}, inherit: [], stdin: '', files: {}, writable: [] }),
    read: never,
  };
  const outcome = await new Promise<Outcome>((resolve) => {
    const options = {
      project: workspace,
      mark: 'no-room:',
      secrets: [],
      contain: never,
      now: Date.now,
      named: () => Promise.resolve([]),
    };
    const runner = new ProcessRunner(
      { ...options, providers: new Map([['own', own]]) },
      {
        ready: never,
        assigned: never,
        ended: (_key, ended) => resolve(ended),
        checked: never,
        landing: never,
      },
    );
    const limits = { totalMs: null, idleMs: null, noteTree: false, worktree: null };
    const job: AgentJob = { key: 'a', provider: 'own', invocation: invocation({ workspace }), ...limits };
    runner.start(job);
  });
  expect(outcome).toMatchObject({
    is: 'later',
    class: 'RETRYABLE_TRANSIENT',
    reason: { code: 'E_PROVIDER' },
  });
});
