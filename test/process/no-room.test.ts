import { expect, it, vi } from 'vitest';
import { HostFault } from '../../src/kernel/contained.ts';
import { ProcessRunner } from '../../src/host/runner/agents.ts';
import { invocation } from '../providers/samples.ts';
import { temporaryFolder } from './support.ts';
import type { Outcome, Provider } from '../../src/providers/provider.ts';
import type { AgentJob } from '../../src/host/runner/runner.ts';

vi.mock(import('../../src/process/temporaries.ts'), async (original) => ({
  ...(await original()),
  inTemporary: () => Promise.reject(new HostFault('E_DISK', problem)),
}));

const problem = 'no temporary folder can be made in /tmp: ENOSPC: no space left on device';

function never(): never {
  throw new Error('nothing is started');
}

it.each([
  ['holds it', true, { held: problem }],
  [
    'is a failure that may pass, for a host that cannot',
    false,
    { is: 'later', class: 'RETRYABLE_TRANSIENT', reason: { code: 'E_DISK' } },
  ],
])('a turn for which there is no room now: the host %s', async (_how, canHold, expected) => {
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
  const outcome = await new Promise<Outcome | { held: string }>((resolve) => {
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
        ...(canHold && { held: (_key, text) => resolve({ held: text }) }),
      },
    );
    const limits = { totalMs: null, idleMs: null, noteTree: false, worktree: null };
    const job: AgentJob = { key: 'a', provider: 'own', invocation: invocation({ workspace }), ...limits };
    runner.start(job);
  });
  expect(outcome).toMatchObject(expected);
});
