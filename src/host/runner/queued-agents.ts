import { messageOf } from '../../kernel/errors.ts';
import type { Json } from '../../kernel/json.ts';
import { readRemoteEnd, type RemoteEnd } from '../../letters/remote-turn.ts';
import { readAssigned } from '../../letters/worker.ts';
import type { JobName, JobQueue } from '../../queue/channel.ts';
import { sign, verify } from '../../queue/signed.ts';
import { changed, isLeft, stir, unlessLeft, type Followed } from './followed.ts';
import { notPlaced, type Ended } from './agents.ts';
import { QueuedLeftovers } from './queued-leftovers.ts';
import type { QueuedNotes } from './queued-notes.ts';
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
  turnOf,
  unreportedUsage,
  writeEnd,
} from './remote-turn.ts';
import type { AgentJob, AgentRunner, RunnerEvents } from './runner.ts';
import { rootsOf } from './places.ts';
import type { Travel } from './travel.ts';
import type { Packed, Travelled } from '../../git/travel.ts';

export interface QueueOptions {
  /** Of the program, which must be the same on all hosts. */
  readonly version: string;
  /** What may have to be removed from the queue and the shared repository. */
  readonly notes: QueuedNotes;
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

/** A signature holds for this long, in milliseconds: a job may wait for a worker. */
const validMs = 7 * 24 * 3_600_000;

/** What a turn begins with on a worker, or why it does not. */
type Begun =
  | {
      readonly ok: true;
      readonly begin: string;
      /** The commit of the files that travel besides; null: none do. */
      readonly carried: string | null;
      readonly entered: string | null;
      readonly tree: string | null;
    }
  | { readonly ok: false; readonly ended: Ended };

type Unpacked =
  | { readonly is: 'here'; readonly difference: string | null }
  | { readonly is: 'unreachable' }
  | { readonly is: 'refused'; readonly problem: string };

/** Receives reports about agents on other hosts. */
export type QueueEvents = Pick<RunnerEvents, 'ready' | 'assigned' | 'ended'>;

/**
 * Runs agents and programs on other hosts, through a queue. Level-triggered: what the queue says is
 * asked for again at each change and from time to time, and nothing of a job is kept but its name.
 */
export class QueuedAgents implements AgentRunner {
  readonly #options: QueueOptions;
  readonly #events: QueueEvents;
  readonly #queue: JobQueue;
  readonly #followed = new Map<string, Followed>();
  /** Jobs whose ends are perhaps not durable yet. */
  readonly #ended = new Map<string, JobName>();
  readonly #leftovers: QueuedLeftovers;
  /** Why git cannot be reached, in words; null: it can. */
  #gitProblem: string | null = null;

  /** `open`: opens the queue, which calls `onChange`. */
  constructor(options: QueueOptions, events: QueueEvents, open: (onChange: () => void) => JobQueue) {
    this.#options = options;
    this.#events = events;
    this.#leftovers = new QueuedLeftovers(
      () => this.#queue,
      options,
      (problem) => this.asked(problem),
    );
    this.#queue = open(() => this.#stir());
  }

  start(job: AgentJob): void {
    if (this.#followed.has(job.key)) return;
    const { queue: role = job.invocation.role } = job;
    const id = job.queued?.job ?? jobIdOf(job.invocation, this.#options.newId().slice(0, 8));
    let depart = () => {};
    const left = new Promise<null>((resolve) => (depart = () => resolve(null)));
    const name = { role, id };
    const state = {
      released: false,
      ending: 'no',
      failingSince: Infinity,
      begun: null,
      stirred: false,
    } as const;
    const followed: Followed = { job, name, ...state, wake: () => {}, left, depart };
    this.#followed.set(job.key, followed);
    void this.#follow(followed);
  }

  release(key: string): void {
    const followed = this.#followed.get(key);
    if (followed === undefined) return;
    followed.released = true;
    stir(followed);
  }

  stop(key: string): void {
    this.#end(key, 'stop');
  }

  leave(key: string): void {
    this.#end(key, 'leave');
  }

  #end(key: string, ending: 'stop' | 'leave'): void {
    const followed = this.#followed.get(key);
    if (followed === undefined) return;
    followed.ending = ending;
    if (ending === 'leave') followed.depart();
    stir(followed);
  }

  forget(key: string): void {
    const name = this.#ended.get(key);
    if (name === undefined) return;
    this.#ended.delete(key);
    this.#leftovers.clear(name);
  }

  /** What keeps turns from workers, in words. */
  problems(): string[] {
    return [this.#queue.problem(), this.#gitProblem].filter((problem) => problem !== null);
  }

  /** Git was asked for the shared repository. `problem`: why it cannot be reached; null: it can. */
  asked(problem: string | null): void {
    this.#gitProblem = problem;
  }

  close(): Promise<void> {
    this.#leftovers.close();
    return this.#queue.close();
  }

  /** Removes what earlier hosts have left of jobs that nothing needs. `needed`: their ids. */
  clean(needed: ReadonlySet<string>): void {
    this.#leftovers.clearOthers(needed);
  }

  /** Resolves when nothing is being removed. */
  cleared(): Promise<void> {
    return this.#leftovers.cleared();
  }

  #stir(): void {
    for (const look of this.#followed.values()) stir(look);
    this.#leftovers.stir();
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
    followed.begun = begun.begin;
    const { key, version, travel, newId } = this.#options;
    const nonce = newId();
    this.#events.ready(job.key, { job: name.id, nonce }, begun.tree, begun.entered);
    while (!followed.released && followed.ending === 'no') await changed(followed);
    if (followed.ending !== 'no') return stopped;
    const body = remoteTurnOf(job, { version, queue: name.role, ...begun }, (path) => travel.read(path));
    const about = { kind: 'job', job: name.id, nonce, expires: this.#options.now() + validMs } as const;
    const data = sign(key, about, body);
    const bytes = Buffer.byteLength(JSON.stringify(data));
    if (bytes > mostBytes) return never(tooLarge('what it begins with', bytes));
    await unlessLeft(followed, this.#queue.add(name, data, job.on?.labels ?? []));
    return this.#ending(followed, nonce);
  }

  /** Prepares the checkout of the role on this host, and sends what is in it. */
  async #begin(followed: Followed): Promise<Begun> {
    const { travel } = this.#options;
    const { job, name } = followed;
    const { entering, files, invocation } = job;
    const { workspace } = invocation;
    const turn = turnOf(job);
    if (turn === null) return fails('it has no checkout of its own');
    const { worked = null, isClean = false } =
      entering === undefined ? {} : await travel.enter(workspace, entering);
    if (worked?.ok === false) return { ok: false, ended: notPlaced(worked) };
    const packed = worked !== null && isClean ? unchanged(worked.commit) : await travel.pack(workspace, turn);
    if (!packed.ok) return fails(packed.problem);
    const carried = files === undefined ? nothing : await travel.carry(files.carries);
    if (!carried.ok) return fails(carried.problem);
    if (isLeft(followed)) return { ok: false, ended: stopped };
    this.#options.notes.add(name);
    const { beginRef, carriedRef } = refsOf(name);
    const sent = await this.#send(
      [
        [packed.value.commit, beginRef],
        [carried.value, carriedRef],
      ],
      // A second attempt may be due to what the shared repository has no more.
      invocation.attempt === 1,
    );
    if (!sent.ok) this.asked(sent.problem);
    if (!sent.ok) return { ok: false, ended: later(sent.problem) };
    const tree = job.noteTree ? await travel.tree(workspace) : null;
    const commit = worked?.commit ?? null;
    return { ok: true, begin: packed.value.commit, carried: carried.value, entered: commit, tree };
  }

  async #send(
    all: readonly (readonly [string | null, string])[],
    isFirst: boolean,
  ): Promise<Travelled<void>> {
    for (const [commit, ref] of all) {
      const sent = commit === null ? null : await this.#options.travel.send(commit, ref, isFirst);
      if (sent?.ok === false) return sent;
    }
    return { ok: true, value: undefined };
  }

  /** Follows a job in the queue to its end. */
  async #ending(followed: Followed, nonce: string): Promise<Ended> {
    const { job, name } = followed;
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
          return later(
            'its worker was silent for longer than the lease, and has lost it',
            unreportedUsage(job),
          );
        case 'missing':
          if (followed.ending === 'stop') return stopped;
          return later('the queue has lost it', unreportedUsage(job));
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

  async #unpack(followed: Followed, { work, files }: RemoteEnd): Promise<Unpacked> {
    const { job, name, failingSince } = followed;
    const { travel, patience, elapsed } = this.#options;
    const { invocation, keepsDifference } = job;
    const { workspace } = invocation;
    const turn = turnOf(job);
    if (work === null || turn === null) return { is: 'here', difference: null };
    const { endRef, broughtRef } = refsOf(name);
    // It lies in the checkout already.
    const isNew = work.commit !== followed.begun || work.head !== work.commit;
    const fetched = isNew ? await travel.fetch(work.commit, endRef) : here;
    const got = fetched.ok && files !== null ? await travel.fetch(files, broughtRef) : fetched;
    this.asked(got.ok ? null : got.problem);
    if (!got.ok)
      return elapsed() - failingSince < patience || failingSince === Infinity
        ? { is: 'unreachable' }
        : { is: 'refused', ...got };
    if (isLeft(followed)) return { is: 'here', difference: null };
    if (!isNew) return { is: 'here', difference: null };
    const before = keepsDifference === true ? await travel.tree(workspace) : null;
    const unpacked = await travel.unpack(workspace, turn, work);
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
    if (!read.ok) return later(`the result of its worker was refused: ${read.problem}`, unreportedUsage(job));
    const end = read.value;
    this.#events.assigned(job.key, end.worker);
    const left = await this.#unpack(followed, end);
    if (left.is === 'unreachable') followed.failingSince = Math.min(followed.failingSince, elapsed());
    if (left.is === 'unreachable') return null;
    // Its files belong to the next host.
    if (isLeft(followed)) return stopped;
    const { usage } = end.outcome;
    if (left.is === 'refused') return later(`its work was refused: ${left.problem}`, usage);
    writeEnd(travel, job, end);
    const laid = await this.#lay(job, end);
    return laid.ok
      ? endedBy(job, end, left.difference)
      : later(`its files were refused: ${laid.problem}`, usage);
  }

  /** What it brings besides its checkout: only where this host has asked for it. */
  async #lay({ files, invocation }: AgentJob, end: RemoteEnd): Promise<Travelled<void>> {
    const { workspace, project } = invocation;
    if (end.files === null || files === undefined) return { ok: true, value: undefined };
    return this.#options.travel.lay(end.files, files.brings, rootsOf(files.brings, workspace, project));
  }
}

const nothing = { ok: true, value: null } as const;
const here = { ok: true, value: undefined } as const;

function unchanged(commit: string): Travelled<Packed> {
  return { ok: true, value: { commit, head: commit } };
}

function fails(problem: string): Begun {
  return { ok: false, ended: notPlaced({ ok: false, problem, resolving: null }) };
}
