import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../kernel/errors.ts';
import type { Json } from '../../kernel/json.ts';
import { dropWork, fetchWork, packWork, sendWork, unpackWork } from '../../git/travel.ts';
import { enterWork } from '../../git/work.ts';
import { workspaceTree } from '../../git/workspace-tree.ts';
import { readRemoteEnd, type RemoteEnd } from '../../letters/remote-turn.ts';
import type { JobName, JobQueue } from '../../queue/channel.ts';
import { sign, verify } from '../../queue/signed.ts';
import { differenceSince, notPlaced, type Ended } from './agents.ts';
import {
  endedBy,
  jobIdOf,
  later,
  mostBytes,
  never,
  refsOf,
  remoteTurnOf,
  stopped,
  tooLarge,
} from './remote-turn.ts';
import type { AgentJob, CheckJob, LandingJob, Runner, RunnerEvents } from './runner.ts';

interface QueueOptions {
  /** The processes of this host: agents of other roles, and all gates. */
  readonly local: Runner;
  /** Of the program, which must be the same on all hosts. */
  readonly version: string;
  readonly project: string;
  /** The address of the git repository that all hosts can reach. */
  readonly git: string;
  /** The key of the signatures. */
  readonly key: string;
  /** Masked in differences. */
  readonly secrets: readonly string[];
  /** How long git and the queue may fail before a turn does, in milliseconds. */
  readonly patience: number;
  /** Milliseconds since 1970. */
  now(): number;
}

/** One turn on a worker, or on its way. */
interface Followed {
  readonly job: AgentJob;
  readonly name: JobName;
  released: boolean;
  ending: 'no' | 'stop' | 'leave';
  /** Since when git fails, on the clock of `performance.now`; infinite: it does not. */
  failingSince: number;
  /** Whether something may have changed since it looked. */
  stirred: boolean;
  wake: () => void;
  /** Resolves when the host leaves it; `depart` makes it so. */
  readonly left: Promise<null>;
  readonly depart: () => void;
}

/** A signature holds for this long, in milliseconds: a job may wait for a worker. */
const validMs = 7 * 24 * 3_600_000;

/** What a turn begins with on a worker, or why it does not. */
type Begun =
  | { readonly ok: true; readonly begin: string; readonly entered: string; readonly tree: string | null }
  | { readonly ok: false; readonly ended: Ended };

type Unpacked =
  | { readonly is: 'here'; readonly difference: string | null }
  | { readonly is: 'unreachable' }
  | { readonly is: 'refused'; readonly problem: string };

/**
 * Runs the agents of turns `on: workers` on other hosts, through a queue, and everything else on
 * this one. Level-triggered: what the queue says is asked for again at each change and from time to
 * time, and nothing of a job is kept but its name.
 */
export class QueueRunner implements Runner {
  readonly #options: QueueOptions;
  readonly #events: RunnerEvents;
  readonly #queue: JobQueue;
  readonly #followed = new Map<string, Followed>();
  /** Jobs whose ends are perhaps not durable yet. */
  readonly #ended = new Map<string, JobName>();
  /** Why git cannot be reached, in words; null: it can. */
  #gitProblem: string | null = null;

  /** `open`: opens the queue, which calls `onChange`. */
  constructor(options: QueueOptions, events: RunnerEvents, open: (onChange: () => void) => JobQueue) {
    this.#options = options;
    this.#events = events;
    this.#queue = open(() => this.#stir());
  }

  start(job: AgentJob): void {
    if (job.on === undefined) return this.#options.local.start(job);
    const { role } = job.invocation;
    const id = job.queued?.job ?? jobIdOf(job.invocation, randomUUID().slice(0, 8));
    let depart = () => {};
    const left = new Promise<null>((resolve) => (depart = () => resolve(null)));
    const name = { role, id };
    const state = { released: false, ending: 'no', failingSince: Infinity, stirred: false } as const;
    const followed: Followed = { job, name, ...state, wake: () => {}, left, depart };
    this.#followed.set(job.key, followed);
    void this.#follow(followed);
  }

  release(key: string): void {
    const followed = this.#followed.get(key);
    if (followed === undefined) return this.#options.local.release(key);
    followed.released = true;
    stir(followed);
  }

  check(job: CheckJob): void {
    this.#options.local.check(job);
  }

  land(job: LandingJob): void {
    this.#options.local.land(job);
  }

  stop(key: string): void {
    if (!this.#end(key, 'stop')) this.#options.local.stop(key);
  }

  leave(key: string): void {
    if (!this.#end(key, 'leave')) this.#options.local.leave(key);
  }

  #end(key: string, ending: 'stop' | 'leave'): boolean {
    const followed = this.#followed.get(key);
    if (followed === undefined) return false;
    followed.ending = ending;
    if (ending === 'leave') followed.depart();
    stir(followed);
    return true;
  }

  forget(key: string): void {
    const name = this.#ended.get(key);
    if (name === undefined) return this.#options.local.forget(key);
    this.#ended.delete(key);
    void this.#clear(name);
  }

  sweep(): Promise<void> {
    return this.#options.local.sweep();
  }

  /** What keeps turns from workers, in words. */
  problems(): string[] {
    return [this.#queue.problem(), this.#gitProblem].filter((problem) => problem !== null);
  }

  close(): Promise<void> {
    return this.#queue.close();
  }

  /** What is left of it: its refs, then its job, so that it cannot run again. */
  async #clear(name: JobName): Promise<void> {
    const { project, git } = this.#options;
    await dropWork(project, git, Object.values(refsOf(name)));
    await this.#queue.remove(name).catch(() => {});
  }

  #stir(): void {
    for (const followed of this.#followed.values()) stir(followed);
  }

  async #follow(followed: Followed): Promise<void> {
    const { job, name } = followed;
    let ended: Ended;
    try {
      ended = await this.#run(followed);
    } catch (error) {
      ended = later(messageOf(error));
    }
    this.#followed.delete(job.key);
    if (followed.ending !== 'leave') this.#ended.set(job.key, name);
    this.#events.ended(job.key, ...ended);
  }

  async #run(followed: Followed): Promise<Ended> {
    const { job, name } = followed;
    const { queued } = job;
    if (queued !== undefined) {
      const found = await unlessLeft(followed, this.#queue.look(name));
      if (found?.is !== 'missing') return this.#ending(followed, queued.nonce);
    }
    const begun = await this.#begin(job, name);
    if (!begun.ok) return begun.ended;
    const { key, version } = this.#options;
    const nonce = randomUUID();
    this.#events.ready(job.key, { job: name.id, nonce }, begun.tree, begun.entered);
    while (!followed.released && followed.ending === 'no') await changed(followed);
    if (followed.ending !== 'no') return stopped;
    const body = remoteTurnOf(job, { version, begin: begun.begin });
    const about = { kind: 'job', job: name.id, nonce, expires: this.#options.now() + validMs } as const;
    const data = sign(key, about, body);
    const bytes = Buffer.byteLength(JSON.stringify(data));
    if (bytes > mostBytes) return never(tooLarge('the turn', bytes));
    await unlessLeft(followed, this.#queue.add(name, data, job.on?.labels ?? []));
    return this.#ending(followed, nonce);
  }

  /** Prepares the checkout of the role on this host, and sends what is in it. */
  async #begin(job: AgentJob, name: JobName): Promise<Begun> {
    const { project, git } = this.#options;
    const { entering, invocation } = job;
    const { workspace } = invocation;
    if (entering === undefined) return fails('it has no checkout of its own');
    const entered = await enterWork(project, workspace, entering);
    if (!entered.ok) return { ok: false, ended: notPlaced(entered) };
    const packed = await packWork(project, workspace, entering);
    if (!packed.ok) return fails(packed.problem);
    const sent = await sendWork(project, git, packed.value.commit, refsOf(name).beginRef);
    if (!sent.ok) return { ok: false, ended: later(sent.problem) };
    const tree = job.noteTree ? await workspaceTree(workspace) : null;
    return { ok: true, begin: packed.value.commit, entered: entered.commit, tree };
  }

  /** Follows a job in the queue to its end. */
  async #ending(followed: Followed, nonce: string): Promise<Ended> {
    const { name } = followed;
    for (;;) {
      followed.stirred = false;
      const state = await unlessLeft(followed, this.#queue.look(name));
      if (state === null || followed.ending === 'leave') return stopped;
      switch (state.is) {
        case 'done': {
          const taken = await this.#take(followed, state.result, nonce);
          if (taken !== null) return taken;
          break;
        }
        case 'lost':
          return later('its worker was silent for longer than the lease, and the turn was taken from it');
        case 'missing':
          if (followed.ending === 'stop') return stopped;
          return later('the queue has lost the turn');
        case 'waiting':
          if (followed.ending === 'stop') await unlessLeft(followed, this.#queue.remove(name));
          break;
        case 'running':
          if (followed.ending === 'stop' && !state.stopping)
            await unlessLeft(followed, this.#queue.stop(name));
          break;
        default:
          return state satisfies never;
      }
      await changed(followed);
    }
  }

  async #unpack({ job, name, failingSince }: Followed, { work }: RemoteEnd): Promise<Unpacked> {
    const { project, git, secrets, patience } = this.#options;
    const { invocation, entering, keepsDifference } = job;
    const { workspace } = invocation;
    if (work === null || entering === undefined) return { is: 'here', difference: null };
    const got = await fetchWork(project, git, work.commit, refsOf(name).endRef);
    this.#gitProblem = got.ok ? null : got.problem;
    if (!got.ok)
      return performance.now() - failingSince < patience || failingSince === Infinity
        ? { is: 'unreachable' }
        : { is: 'refused', ...got };
    const before = keepsDifference === true ? await workspaceTree(workspace) : null;
    const unpacked = await unpackWork(project, workspace, entering, work);
    if (!unpacked.ok) return { is: 'refused', problem: unpacked.problem };
    return { is: 'here', difference: before && (await differenceSince(workspace, before, secrets)) };
  }

  /** A finished job's result, with its work in the checkout; null: git cannot be reached now. */
  async #take(followed: Followed, result: Json, nonce: string): Promise<Ended | null> {
    const { job, name, ending } = followed;
    if (ending === 'stop') return stopped;
    const { key } = this.#options;
    const signed = verify(key, result, { kind: 'result', job: name.id, nonce, now: this.#options.now() });
    const read = signed.ok ? readRemoteEnd(signed.body) : signed;
    if (!read.ok) return later(`the result of its worker was refused: ${read.problem}`);
    const end = read.value;
    const left = await this.#unpack(followed, end);
    if (left.is === 'unreachable') followed.failingSince = Math.min(followed.failingSince, performance.now());
    if (left.is === 'unreachable') return null;
    if (left.is === 'refused') return later(`its work was refused: ${left.problem}`);
    writeEnd(job, end);
    return endedBy(job, end, left.difference);
  }
}

function fails(problem: string): Begun {
  return { ok: false, ended: notPlaced({ ok: false, problem, resolving: null }) };
}

/** What the queue answers; null: the host leaves the turn first. */
function unlessLeft<T>({ left }: Followed, answer: Promise<T>): Promise<T | null> {
  return Promise.race([answer, left]);
}

function stir(followed: Followed): void {
  followed.stirred = true;
  followed.wake();
}

/** Resolves once something may have changed since the last look. */
function changed(followed: Followed): Promise<void> {
  if (followed.stirred) {
    followed.stirred = false;
    return Promise.resolve();
  }
  return new Promise((resolve) => (followed.wake = resolve));
}

/** What the agent left goes where an agent of this host would have left it. */
function writeEnd({ invocation: { paths } }: AgentJob, { staged, exit }: RemoteEnd): void {
  writeFileSync(paths.stdout, exit.stdout);
  writeFileSync(paths.stderr, exit.stderr);
  for (const { name, content } of staged) {
    const text = content.ok ? content.text : `The worker could not read this file: ${content.problem}\n`;
    writeFileSync(join(paths.outbox, name), text);
  }
}
