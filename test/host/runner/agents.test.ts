import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ProcessRunner } from '../../../src/host/runner/agents.ts';
import type { Containment } from '../../../src/process/types.ts';
import { invocation } from '../../providers/samples.ts';
import { freshMark, temporaryFolder } from '../../process/support.ts';
import type { Outcome, Provider } from '../../../src/providers/provider.ts';
import type { AgentJob } from '../../../src/host/runner/runner.ts';

const own: Provider = {
  name: 'own',
  sessions: false,
  notEnforced: [],
  mcp: true,
  restrict: never,
  start: () => ({ argv: ['true'], env: {}, inherit: [], stdin: '', files: {}, writable: [] }),
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
    const options = {
      project: workspace,
      mark: 'runner-test:',
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
        ended: (_key, outcome) => {
          ended = outcome.is === 'done' ? outcome.is : outcome.reason.text;
          runner.check({ ...gates, key: 'b' });
        },
        checked: (_key, found) => resolve([ended, [...found.problems]]),
        landing: never,
      },
    );
    const limits = { totalMs: null, idleMs: null, noteTree: false, worktree: null };
    const job: AgentJob = { key: 'a', provider: 'own', invocation: invocation({ workspace }), ...limits };
    const folder = { turn: 't', attempt: 1 };
    const gates = {
      provider: 'own',
      network: true,
      checks: [],
      workspace,
      env: {},
      tree: null,
      totalMs: null,
      folder,
    };
    runner.start(job);
  });
  expect(reason).toContain('ENOENT');
  expect(problems).toEqual([
    expect.stringMatching(
      /^the gates could not be checked: no temporary folder can be made in .*nowhere: ENOENT/,
    ),
  ]);
});

/** What comes of a turn whose agent is this script, when it is recorded so. */
async function turnOf(script: string, recorded?: () => never): Promise<Outcome> {
  const workspace = temporaryFolder();
  const usage = { usd: 2, tokens: 3 };
  const quick: Provider = {
    ...own,
    start: () => ({ argv: ['sh', '-c', script], env: {}, inherit: [], stdin: '', files: {}, writable: [] }),
    read: () => ({
      is: 'never',
      reason: { code: 'E_PROVIDER', text: 'it did not work' },
      usage,
      session: null,
    }),
  };
  const turn = invocation({ workspace });
  const paths = { ...turn.paths, stdout: join(workspace, 'stdout'), stderr: join(workspace, 'stderr') };
  return new Promise<Outcome>((resolve) => {
    const contain = (): Containment => ({ kind: 'group' });
    const options = {
      project: workspace,
      mark: freshMark(),
      secrets: [],
      contain,
      now: Date.now,
      named: () => Promise.resolve([]),
      ...(recorded && { recorded }),
    };
    const events = {
      ready: (key: string) => runner.release(key),
      assigned: () => {},
      ended: (_key: string, ended: Outcome) => resolve(ended),
      checked: never,
      landing: never,
    };
    const limits = { totalMs: null, idleMs: null, noteTree: false, worktree: null };
    const runner = new ProcessRunner({ ...options, providers: new Map([['own', quick]]) }, events);
    runner.start({ key: 'a', provider: 'own', invocation: { ...turn, paths }, ...limits });
  });
}

it('fails a turn that cannot be recorded, and tells so and what it cost', async () => {
  const outcome = await turnOf('exit 1', () => {
    throw new Error('the disk is full');
  });
  const reason = { code: 'E_PROVIDER', text: 'the disk is full' };
  expect(outcome).toEqual({ is: 'never', reason, usage: { usd: 2, tokens: 3 }, session: null });
});

it('reads what an agent has said, whatever it puts in the place of its output', async () => {
  const outcome = await turnOf('rm -f stdout; ln -s / stdout');
  const reason = { code: 'E_PROVIDER', text: 'it did not work' };
  expect(outcome).toEqual({ is: 'never', reason, usage: { usd: 2, tokens: 3 }, session: null });
});
