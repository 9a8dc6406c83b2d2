import { join } from 'node:path';
import type { Disk } from '../../disk/disk.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Json } from '../../kernel/json.ts';
import { readRemoteEnd, type RemoteEnd } from '../../letters/remote-turn.ts';
import { readAssigned } from '../../letters/worker.ts';
import type { JobName, JobQueue } from '../../queue/channel.ts';
import { sign, verify } from '../../queue/signed.ts';
import { notPlaced, type Ended } from './agents.ts';
import { QueuedNotes } from './queued-notes.ts';
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
import type { Travel } from './travel.ts';

interface QueueOptions {
  /** The processes of this host: agents of other roles, and all gates. */
  readonly local: Runner;
  /** Of the program, which must be the same on all hosts. */
  readonly version: string;
  /** Of the project. */
  readonly disk: Disk;
  readonly travel: Travel;
  /** The key of the signatures. */
  readonly key: string;
  /** How long git and the queue may fail before a turn does, in milliseconds. */
  readonly patience: number;
  /** Random from its first digits on. */
  readonly newId: () => string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds since some time, on a clock that is never set. */
  readonly elapsed: () => number;
}

/** What asks the queue again and again. */
interface Look {
  /** Whether something may have changed since it asked. */
  stirred: boolean;
  wake: () => void;
}

/** One turn on a worker, or on its way. */
interface Followed extends Look {
  readonly job: AgentJob;
  readonly name: JobName;
  released: boolean;
  ending: 'no' | 'stop' | 'leave';
  /** Since when git fails, in milliseconds on `elapsed`; infinite: it does not. */
  failingSince: number;
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
  readonly #notes: QueuedNotes;
  readonly #followed = new Map<string, Followed>();
  /** Jobs whose ends are perhaps not durable yet. */
  readonly #ended = new Map<string, JobName>();
  /** Jobs that are being removed. */
  readonly #removing = new Set<Look>();
  #isClosed = false;
  /** Why git cannot be reached, in words; null: it can. */
  #gitProblem: string | null = null;

  /** `open`: opens the queue, which calls `onChange`. */
  constructor(options: QueueOptions, events: RunnerEvents, open: (onChange: () => void) => JobQueue) {
    this.#options = options;
    this.#events = events;
    this.#notes = new QueuedNotes(options.disk);
    this.#queue = open(() => this.#stir());
  }

  start(job: AgentJob): void {
    if (job.on === undefined) return this.#options.local.start(job);
    const { role } = job.invocation;
    const id = job.queued?.job ?? jobIdOf(job.invocation, this.#options.newId().slice(0, 8));
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
    this.#isClosed = true;
    return this.#queue.close();
  }

  /** Removes what earlier controllers have left of jobs that no turn needs. `needed`: their ids. */
  clean(needed: ReadonlySet<string>): void {
    for (const name of this.#notes.all()) if (!needed.has(name.id)) void this.#clear(name);
  }

  /** Removes a job, whose worker stops it first if it runs. Rejects when the queue is closed. */
  async #remove(name: JobName): Promise<void> {
    const look: Look = { stirred: false, wake: () => {} };
    this.#removing.add(look);
    for (;;) {
      look.stirred = false;
      const state = await this.#queue.look(name);
      if (state.is === 'missing') break;
      if (state.is !== 'running') await this.#queue.remove(name);
      else {
        if (!state.stopping) await this.#queue.stop(name);
        await changed(look);
      }
    }
    this.#removing.delete(look);
  }

  /**
   * Removes what is left of a job: its refs, then the job itself, so that it cannot run again. What
   * cannot be removed now is left to the next controller.
   */
  async #clear(name: JobName): Promise<void> {
    try {
      const dropped = await this.#options.travel.drop(Object.values(refsOf(name)));
      await this.#remove(name);
      if (dropped.ok && !this.#isClosed) this.#notes.remove(name);
    } catch {
      // The queue is closed, or the disk refuses: the note stays.
    }
  }

  #stir(): void {
    for (const look of [...this.#followed.values(), ...this.#removing]) stir(look);
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
    const begun = await this.#begin(followed);
    if (!begun.ok) return begun.ended;
    const { key, version, travel, newId } = this.#options;
    const nonce = newId();
    this.#events.ready(job.key, { job: name.id, nonce }, begun.tree, begun.entered);
    while (!followed.released && followed.ending === 'no') await changed(followed);
    if (followed.ending !== 'no') return stopped;
    const body = remoteTurnOf(job, { version, begin: begun.begin }, (path) => travel.read(path));
    const about = { kind: 'job', job: name.id, nonce, expires: this.#options.now() + validMs } as const;
    const data = sign(key, about, body);
    const bytes = Buffer.byteLength(JSON.stringify(data));
    if (bytes > mostBytes) return never(tooLarge('the turn', bytes));
    await unlessLeft(followed, this.#queue.add(name, data, job.on?.labels ?? []));
    return this.#ending(followed, nonce);
  }

  /** Prepares the checkout of the role on this host, and sends what is in it. */
  async #begin(followed: Followed): Promise<Begun> {
    const { travel } = this.#options;
    const { job, name } = followed;
    const { entering, invocation } = job;
    const { workspace } = invocation;
    if (entering === undefined) return fails('it has no checkout of its own');
    const entered = await travel.enter(workspace, entering);
    if (!entered.ok) return { ok: false, ended: notPlaced(entered) };
    const packed = await travel.pack(workspace, entering);
    if (!packed.ok) return fails(packed.problem);
    if (isLeft(followed)) return { ok: false, ended: stopped };
    this.#notes.add(name);
    const sent = await travel.send(packed.value.commit, refsOf(name).beginRef);
    if (!sent.ok) return { ok: false, ended: later(sent.problem) };
    const tree = job.noteTree ? await travel.tree(workspace) : null;
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
          this.#assigned(followed, nonce, state.note);
          return later('its worker was silent for longer than the lease, and the turn was taken from it');
        case 'missing':
          if (followed.ending === 'stop') return stopped;
          return later('the queue has lost the turn');
        case 'waiting':
          this.#events.assigned(followed.job.key, null);
          if (followed.ending === 'stop') await unlessLeft(followed, this.#queue.remove(name));
          break;
        case 'running':
          this.#assigned(followed, nonce, state.note);
          if (followed.ending === 'stop' && !state.stopping)
            await unlessLeft(followed, this.#queue.stop(name));
          break;
        default:
          return state satisfies never;
      }
      await changed(followed);
    }
  }

  /** `note`: what the worker said of itself when it began. */
  #assigned({ job, name }: Followed, nonce: string, note: Json): void {
    const { key, now } = this.#options;
    const signed = verify(key, note, { kind: 'note', job: name.id, nonce, now: now() });
    const read = signed.ok ? readAssigned(signed.body) : signed;
    if (read.ok) this.#events.assigned(job.key, read.value);
  }

  async #unpack(followed: Followed, { work }: RemoteEnd): Promise<Unpacked> {
    const { job, name, failingSince } = followed;
    const { travel, patience, elapsed } = this.#options;
    const { invocation, entering, keepsDifference } = job;
    const { workspace } = invocation;
    if (work === null || entering === undefined) return { is: 'here', difference: null };
    const got = await travel.fetch(work.commit, refsOf(name).endRef);
    this.#gitProblem = got.ok ? null : got.problem;
    if (!got.ok)
      return elapsed() - failingSince < patience || failingSince === Infinity
        ? { is: 'unreachable' }
        : { is: 'refused', ...got };
    if (isLeft(followed)) return { is: 'here', difference: null };
    const before = keepsDifference === true ? await travel.tree(workspace) : null;
    const unpacked = await travel.unpack(workspace, entering, work);
    if (!unpacked.ok) return { is: 'refused', problem: unpacked.problem };
    return { is: 'here', difference: before && (await travel.difference(workspace, before)) };
  }

  /** A finished job's result, with its work in the checkout; null: git cannot be reached now. */
  async #take(followed: Followed, result: Json, nonce: string): Promise<Ended | null> {
    const { job, name, ending } = followed;
    if (ending === 'stop') return stopped;
    const { key, travel, elapsed } = this.#options;
    const signed = verify(key, result, { kind: 'result', job: name.id, nonce, now: this.#options.now() });
    const read = signed.ok ? readRemoteEnd(signed.body) : signed;
    if (!read.ok) return later(`the result of its worker was refused: ${read.problem}`);
    const end = read.value;
    this.#events.assigned(job.key, end.worker);
    const left = await this.#unpack(followed, end);
    if (left.is === 'unreachable') followed.failingSince = Math.min(followed.failingSince, elapsed());
    if (left.is === 'unreachable') return null;
    // Its files belong to the next host.
    if (isLeft(followed)) return stopped;
    if (left.is === 'refused') return later(`its work was refused: ${left.problem}`);
    writeEnd(travel, job, end);
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

/** Whether the host has left it meanwhile. */
function isLeft({ ending }: Followed): boolean {
  return ending === 'leave';
}

function stir(look: Look): void {
  look.stirred = true;
  look.wake();
}

/** Resolves once something may have changed since the last look. */
function changed(look: Look): Promise<void> {
  if (look.stirred) {
    look.stirred = false;
    return Promise.resolve();
  }
  return new Promise((resolve) => (look.wake = resolve));
}

/** What the agent left goes where an agent of this host would have left it. */
function writeEnd(travel: Travel, { invocation: { paths } }: AgentJob, { staged, exit }: RemoteEnd): void {
  travel.write(paths.stdout, exit.stdout);
  travel.write(paths.stderr, exit.stderr);
  for (const { name, content } of staged) {
    const text = content.ok ? content.text : `The worker could not read this file: ${content.problem}\n`;
    travel.write(join(paths.outbox, name), text);
  }
}
