import { messageOf } from '../../../kernel/errors.ts';
import { isHostFault, unlessPassing } from '../../../kernel/passing.ts';
import type { Json } from '../../../kernel/json.ts';
import type { Assigned } from '../../../kernel/launched.ts';
import { readAssigned } from '../letters/worker.ts';
import { mostBytes, type JobName, type JobQueue, type JobState } from '../queue/channel.ts';
import { jobMs, sign, verify, type About } from '../queue/signed.ts';
import { changed, isLeft, stir, unlessLeft, type Followed } from './followed.ts';
import { notPlaced, type Ended } from '../../../host/runner/agents.ts';
import { QueuedLeftovers } from './queued-leftovers.ts';
import { QueuedResults, type ResultOptions } from './queued-results.ts';
import type { QueuedNotes } from './queued-notes.ts';
import {
  isIdOf,
  jobIdOf,
  later,
  never,
  refsOf,
  remoteTurnOf,
  stopped,
  tooLarge,
  turnOf,
  unreportedUsage,
} from '../remote-turn.ts';
import type { AgentEvents, AgentJob, AwayRunner } from '../../../host/runner/runner.ts';
import type { Packed, Travelled } from '../../../git/travel.ts';

export interface QueueOptions extends ResultOptions {
  /** Of the program, which must be the same on all hosts. */
  readonly version: string;
  /** What may have to be removed from the queue and the shared repository. */
  readonly notes: QueuedNotes;
  /** Random from its first digits on. */
  readonly newId: () => string;
}

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

/**
 * Runs agents and programs on other hosts, through a queue. Level-triggered: what the queue says is
 * asked for again at each change and from time to time, and nothing of a job is kept but its name.
 */
export class QueuedAgents implements AwayRunner {
  readonly #options: QueueOptions;
  readonly #events: AgentEvents;
  readonly #queue: JobQueue;
  readonly #followed = new Map<string, Followed>();
  /** Jobs whose ends are perhaps not durable yet. */
  readonly #ended = new Map<string, JobName>();
  readonly #leftovers: QueuedLeftovers;
  readonly #results: QueuedResults;
  /** Why git cannot be reached, in words; null: it can. */
  #gitProblem: string | null = null;

  /** `open`: opens the queue, which calls `onChange`. */
  constructor(options: QueueOptions, events: AgentEvents, open: (onChange: () => void) => JobQueue) {
    this.#options = options;
    this.#events = events;
    this.#leftovers = new QueuedLeftovers(
      () => this.#queue,
      options,
      (problem) => this.asked(problem),
    );
    this.#results = new QueuedResults(options, (problem) => this.asked(problem));
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
      worker: job.assigned?.id ?? null,
      reported: false,
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
      if (isHostFault(error) && this.#events.held && followed.ending === 'no') {
        this.#followed.delete(job.key);
        return this.#events.held(job.key, messageOf(error));
      }
      ended = later(messageOf(error));
    }
    this.#followed.delete(job.key);
    if (followed.ending !== 'leave') this.#ended.set(job.key, name);
    this.#events.ended(job.key, ...ended);
  }

  async #run(followed: Followed): Promise<Ended> {
    const { job, name } = followed;
    const found = job.queued && (await unlessLeft(followed, this.#queue.look(name)));
    let nonce = job.queued?.nonce ?? null;
    let isThere = job.queued !== undefined && found?.is !== 'missing';
    for (;;) {
      if (!isThere) {
        const added = await this.#add(followed);
        if (!added.ok) return added.ended;
        nonce = added.nonce;
      }
      const ended = await this.#ending(followed, nonce ?? '');
      if (ended !== 'left') return ended;
      // Others can have it: another job of the same name, which no old document is about.
      if (!(await this.#withdraw(followed))) return stopped;
      isThere = false;
    }
  }

  /** Adds a job, once the journal has its nonce. */
  async #add(
    followed: Followed,
  ): Promise<{ readonly ok: true; readonly nonce: string } | Extract<Begun, { ok: false }>> {
    const { job, name } = followed;
    const begun = await this.#begin(followed);
    if (!begun.ok) return begun;
    followed.begun = begun.begin;
    const { version, travel, newId } = this.#options;
    const nonce = newId();
    followed.released = false;
    this.#events.ready(job.key, { job: name.id, nonce }, begun.tree, begun.entered);
    while (!followed.released && followed.ending === 'no') await changed(followed);
    if (followed.ending !== 'no') return { ok: false, ended: stopped };
    const prepared = { version, queue: name.role, ...begun };
    const turn = remoteTurnOf(job, prepared, (path) => travel.read(path));
    if (!turn.ok) return { ok: false, ended: later(turn.problem) };
    const data = sign(this.#options.credentials, this.#about('job', name, nonce), { ...turn.value });
    const bytes = Buffer.byteLength(JSON.stringify(data));
    if (bytes > mostBytes) return { ok: false, ended: never(tooLarge('what it begins with', bytes)) };
    await unlessLeft(followed, this.#queue.add(name, data, job.on?.labels ?? []));
    return { ok: true, nonce };
  }

  #about(kind: 'job' | 'grant', { id }: JobName, nonce: string): About {
    return { kind, job: id, nonce, expires: this.#options.now() + jobMs };
  }

  /** Removes a job that its worker has left. False: the host leaves it, or it is not wanted. */
  async #withdraw(followed: Followed): Promise<boolean> {
    const { job, name } = followed;
    if (followed.worker !== null) this.#events.assigned(job.key, null);
    followed.worker = null;
    for (;;) {
      followed.stirred = false;
      await unlessLeft(followed, this.#queue.remove(name));
      const state = await unlessLeft(followed, this.#queue.look(name));
      if (followed.ending !== 'no') return false;
      if (state?.is === 'missing') return true;
      await changed(followed);
    }
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
    if (worked !== null) unlessPassing(worked);
    if (worked?.ok === false) return { ok: false, ended: notPlaced(worked) };
    const packed = worked !== null && isClean ? unchanged(worked.commit) : await travel.pack(workspace, turn);
    unlessPassing(packed);
    if (!packed.ok) return fails(packed.problem);
    const carried = files === undefined ? nothing : await travel.carry(files.carries);
    unlessPassing(carried);
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
    unlessPassing(sent);
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

  /** Follows a job in the queue to its end, or until its worker has left it to others. */
  async #ending(followed: Followed, nonce: string): Promise<Ended | 'left'> {
    const { job, name } = followed;
    followed.released = followed.reported = false;
    for (;;) {
      followed.stirred = false;
      const state = await unlessLeft(followed, this.#queue.look(name));
      if (state === null || followed.ending === 'leave') return stopped;
      switch (state.is) {
        case 'done': {
          const taken = await this.#results.take(followed, state, nonce);
          if (taken !== null) return taken;
          break;
        }
        case 'lost':
          return later(
            'its worker was silent for longer than the lease, and has lost it',
            unreportedUsage(job),
          );
        case 'missing':
          if (followed.ending === 'stop') return stopped;
          return later('the queue has lost it', unreportedUsage(job));
        case 'waiting':
          // No worker puts back what it has asked for: it says that it has left it.
          if (followed.worker !== null) return later(givenAway, unreportedUsage(job));
          if (followed.ending === 'stop') await unlessLeft(followed, this.#queue.remove(name));
          break;
        case 'running':
          if (followed.ending === 'stop' && !state.stopping)
            await unlessLeft(followed, this.#queue.stop(name));
          if (followed.ending === 'no' && !(await this.#confirm(followed, nonce, state)))
            return later(givenAway, unreportedUsage(job));
          break;
        default:
          return state satisfies never;
      }
      await changed(followed);
    }
  }

  /** The worker that asks to begin a job; null: what it says does not count. */
  #asking({ name }: Followed, nonce: string, note: Json): Assigned | null {
    const { credentials, now } = this.#options;
    const signed = verify(credentials, note, { kind: 'note', job: name.id, nonce, now: now() });
    const read = signed.ok ? readAssigned(signed.body) : signed;
    return signed.ok && read.ok && isIdOf(read.value.id, signed.by) ? read.value : null;
  }

  /**
   * Lets the first worker that asks begin, once the journal has it, and no other. False: another
   * one has it in the queue.
   */
  async #confirm(
    followed: Followed,
    nonce: string,
    { note, granted }: Extract<JobState, { is: 'running' }>,
  ): Promise<boolean> {
    const { job, name } = followed;
    const worker = this.#asking(followed, nonce, note);
    if (worker === null) return true;
    followed.worker ??= worker.id;
    if (followed.worker !== worker.id) return false;
    if (!followed.reported) this.#events.assigned(job.key, worker);
    followed.reported = true;
    const answered = { kind: 'grant', job: name.id, nonce, now: this.#options.now() } as const;
    if (!followed.released || verify(this.#options.credentials, granted, answered).ok) return true;
    const grant = sign(this.#options.credentials, this.#about('grant', name, nonce), { worker: worker.id });
    await unlessLeft(followed, this.#queue.grant(name, grant));
    return true;
  }
}

const givenAway = 'the queue has taken it from its worker';

const nothing = { ok: true, value: null } as const;

function unchanged(commit: string): Travelled<Packed> {
  return { ok: true, value: { commit, head: commit } };
}

function fails(problem: string): Begun {
  return { ok: false, ended: notPlaced({ ok: false, problem, resolving: null }) };
}
