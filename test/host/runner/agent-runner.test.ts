import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RealDisk } from '../../../src/disk/real-disk.ts';
import { ProcessRunner, type Ended } from '../../../src/host/runner/agents.ts';
import { QueuedAgents } from '../../../src/host/runner/queued-agents.ts';
import { QueuedNotes, queuedFolder } from '../../../src/host/runner/queued-notes.ts';
import type { AgentJob, AgentRunner, RunnerEvents } from '../../../src/host/runner/runner.ts';
import { GitTravel, type Travel } from '../../../src/host/runner/travel.ts';
import { roleBranch, roleCheckout } from '../../../src/kernel/work.ts';
import { TurnFolders } from '../../../src/mail/mailboxes/turn-folders.ts';
import { Begun } from '../../../src/workers/begun.ts';
import type { HeldTurn, Workplace } from '../../../src/workers/held-turn.ts';
import { eventsOf, Worker } from '../../../src/workers/worker.ts';
import { maskOf } from '../../../src/process/output/mask.ts';
import type { Provider } from '../../../src/providers/provider.ts';
import { gitIn, project, thread } from '../../git/roles-at-work.ts';
import { freshMark, marked, temporaryFolder } from '../../process/support.ts';
import { invocation } from '../../providers/samples.ts';
import { controllerKeys, workerKeys } from '../../support/credentials.ts';
import { MemoryQueue } from '../../support/memory-queue.ts';

/* What every runner of agents does: that of this host, and the queue with a worker. */

const role = 'engineer';
const usage = { usd: 1, tokens: 2 };
const named = () => Promise.resolve([]);
const clocks = { now: Date.now, elapsed: () => performance.now() };

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

type Open = (root: string, events: RunnerEvents) => Opened;

function processes(root: string, mark: string, events: RunnerEvents): ProcessRunner {
  const contain = () => ({ kind: 'group' }) as const;
  const providers = new Map([['shell', shell]]);
  return new ProcessRunner(
    { project: root, mark, secrets: [], providers, contain, now: Date.now, named },
    events,
  );
}

const onThisHost: Open = (root, events) => {
  const mark = freshMark();
  return { runner: processes(root, mark, events), mark, close: async () => {} };
};

/** Where a worker runs its turns, which stand in `turns`. */
function workplaceIn(root: string, mark: string, travel: Travel, turns: Map<string, HeldTurn>): Workplace {
  return {
    root,
    worker: { host: 'builder', id: 'builder.w1', login: 'builder' },
    version: 'test',
    labels: [],
    travel,
    credentials: workerKeys('builder'),
    begun: new Begun(),
    runner: () => processes(root, mark, eventsOf(turns)),
    forbids: () => null,
    variables: () => ({}),
    folders: new TurnFolders(new RealDisk(root)),
    mask: () => maskOf([]),
    maskFile: () => {},
    parking: { list: () => new Map(), park: () => {} },
    tools: null,
    ...clocks,
  };
}

/** A worker in a clone of its own, with a queue in memory between. */
const onAWorker: Open = (root, events) => {
  const shared = join(temporaryFolder(), 'shared.git');
  gitIn(root, 'clone', '-q', '--bare', root, shared);
  const clone = join(temporaryFolder(), 'clone');
  gitIn(root, 'clone', '-q', shared, clone);
  const mark = freshMark();
  const travelOf = (at: string) => new GitTravel({ project: at, git: shared, isOrigin: false, secrets: [] });
  const queue = new MemoryQueue(Date.now);
  // As each queue does: what was asked for lately is asked for again.
  const sides = new Set<() => void>();
  const ticking = setInterval(() => sides.forEach((side) => side()), 50);
  const following = (onChange: () => void) => {
    sides.add(onChange);
    return { onChange };
  };
  let ids = 0;
  const agents = new QueuedAgents(
    {
      version: 'test',
      notes: new QueuedNotes(new RealDisk(root), queuedFolder),
      travel: travelOf(root),
      credentials: controllerKeys,
      patience: 10_000,
      newId: () => `${String((ids += 1)).padStart(8, '0')}-id`,
      ...clocks,
    },
    events,
    (onChange) => queue.queue(following(onChange)),
  );
  const turns = new Map<string, HeldTurn>();
  const at = workplaceIn(clone, mark, travelOf(clone), turns);
  const taking = { roles: [role], labels: [], lease: 60_000 };
  const limits = { ...taking, steps: [], login: 'builder', slots: 2, say: () => {} };
  const worker = new Worker(at, limits, turns, (onChange) =>
    queue.source({ ...taking, ...following(onChange) }),
  );
  const running = worker.run();
  const close = async () => {
    worker.end('stop');
    await running;
    clearInterval(ticking);
    await agents.close();
  };
  return { runner: agents, mark, close };
};

describe.each([
  ['on this host', onThisHost],
  ['on a worker', onAWorker],
])('agents %s', (_where, open) => {
  /** `release`: at once. */
  function begin(script: (outbox: string) => string, more: Partial<AgentJob> = {}, release = true) {
    const { root } = project();
    const reports = new Reports();
    const opened = open(
      root,
      reports.events((one) => release && opened.runner.release(one)),
    );
    onTestFinished(() => opened.close());
    const folders = new TurnFolders(new RealDisk(root));
    const prompt = script(folders.outboxOf('t1', 1));
    const paths = folders.open('t1', 1, 0, () => prompt, [], false);
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
  }

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

  it('is ended by its deadline', async () => {
    const [outcome, exit] = await begin(() => 'sleep 1000', { totalMs: 100 }).reports.end();
    expect(outcome).toMatchObject({ is: 'never', usage });
    expect(exit.ended).toBe('total-timeout');
  });

  it('is ended by its silence', async () => {
    const [, exit] = await begin(() => 'echo one; sleep 1000', { idleMs: 100 }).reports.end();
    expect(exit).toMatchObject({ ended: 'idle-timeout', stdout: 'one\n' });
  });

  it('is ended by the size of its output', async () => {
    const [outcome, exit] = await begin(() => 'exec cat /dev/zero').reports.end();
    expect(outcome).toMatchObject({ is: 'never', usage });
    expect(exit.ended).toBe('output-limit');
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
});
