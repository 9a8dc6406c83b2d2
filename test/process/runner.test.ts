import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { AgentJob, Outcome, Provider } from '../../src/core/ports.ts';
import { ProcessRunner } from '../../src/process/runner.ts';
import type { Containment } from '../../src/process/types.ts';
import { invocation } from '../contract/providers-samples.ts';
import { temporaryFolder } from './support.ts';

const own: Provider = {
  name: 'own',
  sessions: false,
  unheld: [],
  restrict: never,
  start: never,
  read: never,
};

function never(): never {
  throw new Error('nothing is started');
}

it('tells what became of turns and gates for which no folder can be made', async () => {
  const workspace = temporaryFolder();
  vi.stubEnv('TMPDIR', join(workspace, 'nowhere'));
  onTestFinished(() => void vi.unstubAllEnvs());
  const [reason, problems] = await new Promise<[string, string[]]>((resolve) => {
    let ended = '';
    const options = { project: workspace, mark: 'runner-test:', contain: never, now: Date.now };
    const runner = new ProcessRunner(
      { ...options, providers: new Map([['own', own]]) },
      {
        ready: never,
        ended: (_key, outcome) => {
          ended = outcome.is === 'never' ? outcome.reason.text : outcome.is;
          runner.check({ ...gates, key: 'b' });
        },
        gated: (_key, found) => resolve([ended, found]),
      },
    );
    const limits = { totalMs: null, idleMs: null, noteTree: false, worktree: null };
    const job: AgentJob = { key: 'a', provider: 'own', invocation: invocation({ workspace }), ...limits };
    const folder = { turn: 't', attempt: 1 };
    const gates = {
      provider: 'own',
      network: true,
      gates: [],
      workspace,
      env: {},
      tree: null,
      totalMs: null,
      folder,
    };
    runner.start(job);
  });
  expect(reason).toContain('ENOENT');
  expect(problems).toEqual([expect.stringMatching(/^the gates could not be checked: ENOENT/)]);
});

it('fails a turn that cannot be recorded, and tells so', async () => {
  const workspace = temporaryFolder();
  const quick: Provider = {
    ...own,
    start: () => ({ argv: ['no-such-program'], env: {}, inherit: [], stdin: '', files: {}, writable: [] }),
    read: () => ({
      is: 'never',
      reason: { code: 'E_PROVIDER', text: 'it is not there' },
      usage: { usd: 0, tokens: 0 },
    }),
  };
  const outcome = await new Promise<Outcome>((resolve) => {
    const recorded = () => {
      throw new Error('the disk is full');
    };
    const contain = (): Containment => ({ kind: 'group' });
    const options = { project: workspace, mark: 'runner-test:', contain, now: Date.now, recorded };
    const events = { ready: never, ended: (_key: string, ended: Outcome) => resolve(ended), gated: never };
    const limits = { totalMs: null, idleMs: null, noteTree: false, worktree: null };
    new ProcessRunner({ ...options, providers: new Map([['own', quick]]) }, events).start({
      key: 'a',
      provider: 'own',
      invocation: invocation({ workspace }),
      ...limits,
    });
  });
  expect(outcome).toMatchObject({ is: 'never', reason: { text: 'the disk is full' } });
});
