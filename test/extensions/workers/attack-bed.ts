import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { QueuedAgents } from '../../../src/extensions/workers/controller/queued-agents.ts';
import { QueuedNotes } from '../../../src/extensions/workers/controller/queued-notes.ts';
import type { AgentJob } from '../../../src/host/runner/runner.ts';
import type { Travel } from '../../../src/extensions/workers/travel.ts';
import type { Assigned, Queued } from '../../../src/kernel/launched.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { unmasked } from '../../../src/kernel/mask.ts';
import { TurnFolders } from '../../../src/mail/mailboxes/turn-folders.ts';
import { Begun } from '../../../src/extensions/workers/worker/begun.ts';
import type { HeldTurn, Workplace } from '../../../src/extensions/workers/worker/held-turn.ts';
import { Worker } from '../../../src/extensions/workers/worker/worker.ts';
import type { Outcome } from '../../../src/providers/provider.ts';
import { openQueue, openSource } from '../../../src/extensions/workers/queue/bull.ts';
import type { JobName, JobQueue, JobState } from '../../../src/extensions/workers/queue/channel.ts';
import { controllerCredentials } from '../../../src/extensions/workers/queue/credentials.ts';
import { exit, invocation } from '../../providers/samples.ts';
import { workerKeys } from './credentials.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { redisEngine, type TestServer } from './servers.ts';

/*
 * A controller and workers in this process, through a real queue that somebody else can write, with
 * agents and git that are none.
 */

/** Only a worker that hangs outlasts it. */
const lease = 60_000;
const fine = { ok: true, value: undefined } as const;
const begin = { ok: true, value: { commit: 'b'.repeat(40), head: 'b'.repeat(40) } } as const;

/** A job in the queue, as it was added. */
export interface Saved {
  readonly name: JobName;
  readonly data: Json;
}

/** What came of a turn on the controller's side. */
export interface Followed {
  readonly ended: Promise<Outcome>;
  /** What the journal would have of it. */
  queued: Queued | null;
  assigned: Assigned | null;
}

export class AttackBed {
  readonly credentials = controllerCredentials('the key of the controller in this test', randomUUID());
  readonly project = this.credentials.project;
  /** `start`, `stop` and `place`, each with the turn or the checkout, in their order. */
  readonly log: string[] = [];
  readonly said: string[] = [];
  readonly saved: Saved[] = [];
  /** Whatever lies in the queue is written with this. */
  readonly intruder: JobQueue;
  readonly #server: TestServer;
  readonly #closing: (() => Promise<void>)[] = [];
  readonly #running = new Map<string, () => void>();
  readonly #waiting = new Set<() => void>();
  /** The turns of each worker. */
  readonly #held: Map<string, HeldTurn>[] = [];
  #skipped = 0;

  constructor(server: TestServer) {
    this.#server = server;
    this.intruder = openQueue(this.#address());
  }

  #address(onChange = () => {}) {
    const { url } = this.#server;
    const onForeign = (text: string) => this.#say(text);
    return { url, name: this.project, roles: ['engineer'], lease, onChange, onForeign };
  }

  #say(text: string): void {
    this.said.push(text);
    this.#changed();
  }

  #changed(): void {
    for (const wake of this.#waiting) wake();
  }

  /** Resolves once it is so, which it asks at each event here, and every 50 ms for what is elsewhere. */
  async until(is: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await is()))
      await new Promise<void>((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          this.#waiting.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, 50);
        this.#waiting.add(wake);
      });
  }

  async becomes(name: JobName, is: JobState['is']): Promise<JobState> {
    for (;;) {
      const state = await this.intruder.look(name);
      if (state.is === is) return state;
      await this.until(async () => (await this.intruder.look(name)).is === is);
    }
  }

  /** Lets the time pass that a worker waits for its controller; resolves to what it has reported. */
  async outwaited(name: JobName): Promise<JobState> {
    await this.until(async () => {
      this.#skipped += 4_000;
      return (await this.intruder.look(name)).is === 'done';
    });
    return this.intruder.look(name);
  }

  readonly #elapsed = () => performance.now() + this.#skipped;

  /** Lets the agent of a turn end. */
  finish(key: string): void {
    this.#running.get(key)?.();
  }

  /** How many agents were started. */
  get starts(): number {
    return this.log.filter((line) => line.startsWith('start')).length;
  }

  /** A worker of this name. Its agents wait for `finish`. */
  worker(name: string, begun = new Begun()) {
    const turns = new Map<string, HeldTurn>();
    this.#held.push(turns);
    const credentials = workerKeys(name, this.credentials);
    const id = `${name}.${randomUUID().slice(0, 8)}`;
    const at: Workplace = {
      root: '/clone',
      worker: { host: name, id, login: name },
      version: 'test',
      labels: [],
      travel: this.#travel(),
      credentials,
      begun,
      runner: () => ({
        start: ({ key }) => {
          const end = (how: string) => {
            this.#running.delete(key);
            this.log.push(`${how} ${key} on ${name}`);
            const usage = { usd: 0.1, tokens: 1 };
            const done = { is: 'done', text: '', session: null, usage, model: null, denials: [] } as const;
            turns.get(key)?.ended([done, exit(), new Map(), null]);
          };
          this.#running.set(key, () => end('end'));
          this.log.push(`start ${key} on ${name}`);
          this.#changed();
        },
        release: () => {},
        stop: (key) => this.#running.get(key)?.(),
        leave: () => {},
        forget: () => {},
      }),
      forbids: () => null,
      variables: () => ({}),
      folders: new TurnFolders(new MemoryDisk(() => 0)),
      mask: () => unmasked,
      maskFile: () => {},
      parking: { list: () => new Map(), park: () => {} },
      tools: null,
      now: Date.now,
      elapsed: this.#elapsed,
    };
    const limits = { roles: ['engineer'], steps: [], labels: [], login: name, slots: 3 };
    const worker = new Worker(
      at,
      { ...limits, say: (text) => this.#say(`${name}: ${text}`) },
      turns,
      (onChange) => openSource(this.#address(onChange), []),
    );
    const running = worker.run();
    const close = async () => {
      worker.end('stop');
      await running;
      await worker.close();
    };
    this.#closing.push(close);
    return { id, credentials, close, end: (how: 'drain' | 'stop') => worker.end(how) };
  }

  #travel(): Travel {
    const travel: Partial<Travel> = {
      place: (path) => {
        this.log.push(`place ${path.split('/').at(-1) ?? ''}`);
        return Promise.resolve(fine);
      },
      clear: () => Promise.resolve(),
      unpack: () => Promise.resolve({ ok: true, commit: begin.value.commit }),
      pack: () => Promise.resolve(begin),
      send: () => Promise.resolve(fine),
      fetch: () => Promise.resolve(fine),
      take: (commit) => Promise.resolve({ ok: true, value: commit }),
      drop: () => Promise.resolve(fine),
      carry: () => Promise.resolve({ ok: true, value: null }),
      keep: () => Promise.resolve({ ok: true, value: 'kept' }),
      read: () => '',
      write: () => {},
    };
    return travel as Travel;
  }

  /** A controller whose journal is at once durable. */
  controller() {
    const known = new Map<string, Followed & { readonly resolve: (outcome: Outcome) => void }>();
    const options = {
      version: 'test',
      credentials: this.credentials,
      notes: new QueuedNotes(new MemoryDisk(() => 0), '.mailroom/queued'),
      travel: this.#travel(),
      patience: lease,
      newId: randomUUID,
      now: Date.now,
      elapsed: this.#elapsed,
    };
    const events = {
      ready: (key: string, launch: unknown) => {
        known.get(key)!.queued = launch as Queued;
        queueMicrotask(() => agents.release(key));
      },
      assigned: (key: string, worker: Assigned | null) => {
        known.get(key)!.assigned = worker;
        if (worker !== null) queueMicrotask(() => agents.release(key));
      },
      ended: (key: string, outcome: Outcome) => {
        known.get(key)!.resolve(outcome);
        queueMicrotask(() => agents.forget(key));
      },
    };
    const agents: QueuedAgents = new QueuedAgents(options, events, (onChange) => {
      const queue = openQueue(this.#address(onChange));
      const add: JobQueue['add'] = (name, data, labels) => {
        this.saved.push({ name, data });
        return queue.add(name, data, labels);
      };
      return new Proxy(queue, {
        get: (of, name) => {
          const value: unknown = name === 'add' ? add : Reflect.get(of, name);
          return typeof value === 'function' ? (value as () => unknown).bind(of) : value;
        },
      });
    });
    this.#closing.push(() => agents.close());
    return {
      agents,
      /** Starts a turn of the engineer, or one that an earlier controller has started. */
      start: (turn: string, earlier: Pick<Followed, 'queued' | 'assigned'> | null = null): Followed => {
        let resolve: (outcome: Outcome) => void = () => {};
        const ended = new Promise<Outcome>((done) => (resolve = done));
        const followed = {
          ended,
          queued: earlier?.queued ?? null,
          assigned: earlier?.assigned ?? null,
          resolve,
        };
        known.set(turn, followed);
        agents.start({ ...jobOf(turn), ...(earlier?.queued && { ...earlier, queued: earlier.queued }) });
        return followed;
      },
      leave: (turn: string) => agents.leave(turn),
    };
  }

  /** Takes the waiting job, and reports this as its result. */
  async finishes(result: Json): Promise<void> {
    const source = openSource(this.#address(), []);
    await (await source.take())?.finish(result);
    await source.close();
  }

  /** Writes an old job into the queue again, as BullMQ and SQL can. */
  async replay({ name, data }: Saved): Promise<void> {
    await this.becomes(name, 'missing');
    // A worker that has yet to hear that its result was taken leaves the same job alone.
    await this.until(() => this.#held.every((turns) => !turns.has(name.id)));
    await this.intruder.add(name, data, []);
  }

  async close(): Promise<void> {
    for (const close of this.#closing.toReversed()) await close();
    await this.intruder.close();
  }
}

function jobOf(turn: string): AgentJob {
  const about = { role: 'engineer', thread: 'thread', turn, workspace: '/there/work', project: '/there' };
  return {
    key: turn,
    provider: 'play',
    invocation: { ...invocation(), ...about, attempt: 1, round: 0 },
    entered: { turn, role: 'engineer', thread: 'thread', branch: 'mailroom/thread/engineer' },
    on: { labels: [] },
    totalMs: null,
    idleMs: null,
    noteTree: false,
    worktree: null,
  };
}

/** A bed for each test of a suite, with a server for all of them. */
export function bedFixture(): { readonly bed: AttackBed; readonly server: TestServer } {
  let server: TestServer | null = null;
  let bed: AttackBed | null = null;
  beforeAll(async () => {
    if (redisEngine.folder !== null) server = await redisEngine.open(redisEngine.folder);
  });
  beforeEach(({ skip }) => {
    if (server === null) skip(redisEngine.lacks);
    bed = new AttackBed(server!);
  });
  afterEach(() => bed?.close());
  afterAll(() => server?.close());
  return {
    get bed() {
      return bed!;
    },
    get server() {
      return server!;
    },
  };
}

/** Plays one turn to its end, and returns how its job was added. */
export async function played(bed: AttackBed, controller: ReturnType<AttackBed['controller']>, turn: string) {
  const followed = controller.start(turn);
  const before = bed.starts;
  await bed.until(() => bed.starts > before);
  bed.finish(bed.saved.at(-1)!.name.id);
  expect(await followed.ended).toMatchObject({ is: 'done' });
  return bed.saved.at(-1)!;
}
