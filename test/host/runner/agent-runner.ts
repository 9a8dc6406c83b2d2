import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RealDisk } from '../../../src/disk/real-disk.ts';
import { ProcessRunner, type Ended } from '../../../src/host/runner/agents.ts';
import type { AgentJob, AgentRunner, RunnerEvents } from '../../../src/host/runner/runner.ts';
import { roleBranch, roleCheckout } from '../../../src/kernel/work.ts';
import { TurnFolders } from '../../../src/mail/mailboxes/turn-folders.ts';
import type { Provider } from '../../../src/providers/provider.ts';
import { project, thread } from '../../git/roles-at-work.ts';
import { marked, temporaryFolder } from '../../process/support.ts';
import { invocation } from '../../providers/samples.ts';

export const role = 'engineer';
const usage = { usd: 1, tokens: 2 };
const named = () => Promise.resolve([]);

/** Its prompt is a script. */
const shell: Provider = {
  name: 'shell',
  sessions: false,
  notEnforced: [],
  mcp: true,
  restrict: () => expect.fail('nothing asks'),
  start: ({ prompt }) => ({
    argv: prompt === '' ? ['/nowhere/agent'] : ['sh', '-c', prompt],
    env: {},
    inherit: [],
    stdin: '',
    files: {},
    writable: [],
  }),
  read: ({ ended, code, stdout, error }) =>
    ended === 'exited' && code === 0
      ? { is: 'done', text: stdout, session: null, usage, model: null, denials: [] }
      : { is: 'never', reason: { code: 'E_PROVIDER', text: error ?? ended }, usage, session: null },
};

/** What a runner reports, in order. */
class Reports {
  readonly readied: string[] = [];
  readonly ended: Ended[] = [];
  #changed: () => void = () => {};

  events(ready: (key: string) => void): RunnerEvents {
    return {
      ready: (one) => {
        this.readied.push(one);
        ready(one);
        this.#changed();
      },
      // A worker that has asked begins once it is released.
      assigned: (one, worker) => {
        if (worker !== null) ready(one);
      },
      ended: (_key, outcome, exit, changed = new Map(), difference = null) => {
        this.ended.push([outcome, exit, changed, difference]);
        this.#changed();
      },
      checked: () => {},
      landing: () => {},
    };
  }

  /** Resolves when it is so. */
  async once(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise<void>((resolve) => (this.#changed = resolve));
  }

  async end(): Promise<Ended> {
    await this.once(() => this.ended.length > 0);
    return this.ended[0]!;
  }
}

interface Opened {
  readonly runner: AgentRunner;
  /** What the environment of its agents is marked with. */
  readonly mark: string;
  close(): Promise<void>;
}

export type OpenRunner = (root: string, events: RunnerEvents) => Opened;

export function processes(root: string, mark: string, events: RunnerEvents): ProcessRunner {
  const contain = () => ({ kind: 'group' }) as const;
  const providers = new Map([['shell', shell]]);
  return new ProcessRunner(
    { project: root, mark, secrets: [], providers, contain, now: Date.now, named },
    events,
  );
}

/** What every runner of agents does. */
export function runsAgents(where: string, open: OpenRunner): void {
  describe(`agents ${where}`, () => {
    const begin = beginning(open);
    describeWork(begin);
    describeEnds(begin);
  });
}

type Begin = ReturnType<typeof beginning>;

/** Begins agents in a project, with a runner of their own each. */
function beginning(open: OpenRunner) {
  /** `release`: at once. */
  return (script: (outbox: string) => string, more: Partial<AgentJob> = {}, release = true) => {
    const { root } = project();
    const reports = new Reports();
    const opened = open(
      root,
      reports.events((one) => release && opened.runner.release(one)),
    );
    onTestFinished(() => opened.close());
    const folders = new TurnFolders(new RealDisk(root));
    const prompt = script(folders.outboxOf('t1', 1));
    const paths = folders.open(
      { turn: 't1', attempt: 1, round: 0 },
      { prompt, messages: [], keepStaging: false },
    );
    const workspace = join(root, '.mailroom/worktrees', roleCheckout(thread, role));
    const branch = roleBranch(thread, role);
    const entering = { turn: 't1', role, thread, branch, edits: true, takes: [], base: null, last: null };
    const at = { role, thread, turn: 't1', prompt, workspace, project: root, paths };
    const job: AgentJob = {
      key: 't1/1/0',
      provider: 'shell',
      invocation: invocation(at),
      totalMs: null,
      idleMs: null,
      noteTree: false,
      worktree: null,
      entering: { ...entering, resolves: 'none', resolving: null },
      graceMs: 100,
      ...more,
    };
    opened.runner.start(job);
    const collect = () => folders.collect('t1', 1, 0);
    const read = (file: string) => readFileSync(join(workspace, file), 'utf8');
    return { ...opened, job, reports, paths, collect, read, workspace };
  };
}

function describeWork(begin: Begin): void {
  it('works in the checkout, sends messages, prints, and reports what it used', async () => {
    const turn = begin(
      (outbox) => `cat kept.txt > copy.txt; printf 'Hello.\\n' > ${outbox}/hello.md; echo done; echo so >&2`,
    );
    const [outcome, exit] = await turn.reports.end();
    expect(outcome).toMatchObject({ is: 'done', text: 'done\n', usage });
    expect(exit).toMatchObject({ code: 0, ended: 'exited', stdout: 'done\n', stderr: 'so\n' });
    expect(turn.read('copy.txt')).toBe(turn.read('kept.txt'));
    expect(turn.collect()).toEqual([{ name: 'hello.md', content: { ok: true, text: 'Hello.\n' } }]);
    expect(readFileSync(turn.paths.stdout, 'utf8')).toBe('done\n');
    expect(turn.reports.readied).toEqual(['t1/1/0']);
  });

  it('starts nothing before it is released, and nothing that is stopped before', async () => {
    const turn = begin(() => 'echo started > started.txt', {}, false);
    await turn.reports.once(() => turn.reports.readied.length > 0);
    turn.runner.stop('t1/1/0');
    const [outcome] = await turn.reports.end();
    expect(outcome.is).toBe('never');
    expect(existsSync(join(turn.workspace, 'started.txt'))).toBe(false);
    expect(marked(turn.mark)).toEqual([]);
  });

  it('fails with what its agent used when it fails', async () => {
    const [outcome, exit] = await begin(() => 'echo "half of it" > half.txt; exit 3').reports.end();
    expect(outcome).toMatchObject({ is: 'never', usage });
    expect(exit).toMatchObject({ code: 3, ended: 'exited' });
  });

  it('costs nothing where its program is not installed', async () => {
    const [outcome, exit] = await begin(() => '').reports.end();
    expect(outcome).toMatchObject({ is: 'never', usage: { usd: 0, tokens: 0 } });
    expect(exit).toMatchObject({ code: 127, ended: 'spawn-failed' });
  });

  it('starts a key once', async () => {
    const folder = temporaryFolder();
    const [starts, go] = [join(folder, 'starts'), join(folder, 'go')];
    const turn = begin(() => `echo start >> ${starts}; until [ -e ${go} ]; do sleep 0.02; done`);
    turn.runner.start(turn.job);
    await expect.poll(() => existsSync(starts)).toBe(true);
    turn.runner.start(turn.job);
    mkdirSync(go);
    expect((await turn.reports.end())[0].is).toBe('done');
    expect(readFileSync(starts, 'utf8')).toBe('start\n');
    expect(turn.reports.readied).toEqual(['t1/1/0']);
    expect(turn.reports.ended).toHaveLength(1);
  });
}

function describeEnds(begin: Begin): void {
  it('ends with everything that it has started when it is stopped', async () => {
    const began = join(temporaryFolder(), 'began');
    const turn = begin(() => `trap '' TERM; sleep 1000 & mkdir ${began}; sleep 1000`);
    await expect.poll(() => existsSync(began)).toBe(true);
    turn.runner.stop('t1/1/0');
    const [outcome] = await turn.reports.end();
    expect(outcome.is).toBe('never');
    expect(marked(turn.mark)).toEqual([]);
    turn.runner.stop('t1/1/0');
    expect(turn.reports.ended).toHaveLength(1);
  });

  it('is ended by its deadline', async () => {
    const [outcome, exit] = await begin(() => 'sleep 1000', { totalMs: 100 }).reports.end();
    expect(outcome).toMatchObject({ is: 'never', usage });
    expect(exit.ended).toBe('total-timeout');
  });

  it('is ended by its silence', async () => {
    const [, exit] = await begin(() => 'sleep 1000', { idleMs: 100 }).reports.end();
    expect(exit.ended).toBe('idle-timeout');
  });

  it('is ended by the size of its output', async () => {
    const [outcome, exit] = await begin(() => 'exec cat /dev/zero').reports.end();
    expect(outcome).toMatchObject({ is: 'never', usage });
    expect(exit.ended).toBe('output-limit');
  });
}
