import { randomUUID } from 'node:crypto';
import { Queue, Worker, type Job } from 'bullmq';
import { messageOf } from '../../../kernel/errors.ts';
import { isJsonObject, type Json } from '../../../kernel/json.ts';
import { takerOf } from '../../../kernel/step-queues.ts';
import { Connection, nameOf } from './bull-connection.ts';
import { notesOf, parsed, publishedLabels, publishLabels, withdrawLabels } from './board.ts';
import {
  mostBytes,
  type HeldJob,
  type JobName,
  type JobQueue,
  type JobSource,
  type JobState,
  type QueueAddress,
  type WorkerNotes,
} from './channel.ts';
import { isClosed } from './foreign.ts';

export { openBoard } from './board.ts';

/*
 * The queue in Redis or Valkey, by BullMQ. It is a program of its own, which is loaded only where
 * workers are configured: it must share no code with the rest but types.
 */

/** The controller's side. Returns at once; `problem` says whether the queue can be reached. */
export function openQueue(address: QueueAddress): JobQueue {
  return new BullQueue(address);
}

/** The worker's side, for the jobs of roles that need only these labels. Returns at once. */
export function openSource(address: QueueAddress, labels: readonly string[]): JobSource {
  return new BullSource(address, labels);
}

class BullQueue extends Connection implements JobQueue {
  readonly #name: string;
  readonly #lease: number;
  readonly #queues = new Map<string, Queue>();
  readonly #waking = new Waking();

  constructor(address: QueueAddress) {
    super(address);
    this.#name = address.name;
    this.#lease = address.lease;
    for (const role of address.roles) this.#open(role);
  }

  #open(role: string): Queue {
    const { options } = this;
    const queue = this.open(new Queue(nameOf(this.#name, role), options));
    this.#queues.set(role, queue);
    // It takes no jobs: it finds those whose worker is silent, and lets them fail at once.
    const watch = new Worker(nameOf(this.#name, role), null, {
      ...options,
      autorun: false,
      lockDuration: this.#lease,
      maxStalledCount: 0,
      stalledInterval: 500,
    });
    // Not public; a test of the queue would notice that it is gone.
    const checks = watch as unknown as { moveStalledJobsToWait(): Promise<void> };
    const check = checks.moveStalledJobsToWait.bind(watch);
    checks.moveStalledJobsToWait = () => (this.#waking.isRecent() ? Promise.resolve() : check());
    this.open(watch);
    void watch.startStalledCheckTimer().catch(() => {});
    return queue;
  }

  async add(name: JobName, data: Json, labels: readonly string[]): Promise<void> {
    const queue = this.#queue(name.role);
    await this.asking(queue, async (isAgain) => {
      if (isAgain) await this.client.del(queue.toKey(name.id));
      await publishLabels(this.client, this.#name, name, labels);
      await queue.add('turn', data, { jobId: name.id });
    });
  }

  look(name: JobName): Promise<JobState> {
    const queue = this.#queue(name.role);
    return this.asking(queue, () => this.#look(queue, name));
  }

  async #look(queue: Queue, { id }: JobName): Promise<JobState> {
    const key = queue.toKey(id);
    const { client } = this;
    // All is asked in this order, and answered together. Nothing is read that is too large.
    const [state, sizes, [exists, failure]] = await Promise.all([
      queue.getJobState(id),
      Promise.all([client.hstrlen(key, 'returnvalue'), client.hstrlen(key, 'progress')]),
      client.hmget(key, 'name', 'defa'),
    ] as const);
    const [bytes, noted] = sizes;
    // Somebody has taken it out of every list.
    if (exists === null || state === 'unknown') return { is: 'missing' };
    if (state === 'completed') {
      const result = bytes > mostBytes ? null : parsed(await client.hget(key, 'returnvalue'));
      return { is: 'done', result, bytes };
    }
    const {
      note = null,
      stop,
      grant = null,
    } = noted > mostBytes ? {} : progressIn(parsed(await client.hget(key, 'progress')));
    if (state === 'failed' || failure !== null) return { is: 'lost', note };
    if (state !== 'active') return { is: 'waiting' };
    return { is: 'running', note, stopping: stop === true, granted: grant };
  }

  stop(name: JobName): Promise<void> {
    return this.#add(name, { stop: true });
  }

  grant(name: JobName, grant: Json): Promise<void> {
    return this.#add(name, { grant });
  }

  async #add({ role, id }: JobName, more: Progress): Promise<void> {
    const queue = this.#queue(role);
    const { client } = this;
    const [name = null, progress = null] = await client.hmget(queue.toKey(id), 'name', 'progress');
    const now = { ...progressIn(parsed(progress)), ...more };
    if (name !== null) await this.asking(queue, () => queue.updateJobProgress(id, now));
  }

  async remove(name: JobName): Promise<void> {
    const queue = this.#queue(name.role);
    const removed = await this.asking(queue, () => queue.remove(name.id))
      // Refused while a worker holds it.
      .catch(() => null);
    if (removed !== null) await withdrawLabels(this.client, this.#name, name);
  }

  #queue(role: string): Queue {
    const queue = this.#queues.get(role);
    if (queue !== undefined) return queue;
    this.listen(role);
    return this.#open(role);
  }
}

/** A gap between two looks that only a stop or a suspension explains, in milliseconds. */
const gapMs = 5_000;
/** How long workers that slept with their controller have to renew their leases. */
const graceMs = 5_000;

/**
 * Whether this host has just woken from a stop or a suspension. Leases that ran out meanwhile say
 * nothing: their workers may have slept with it. Looked at every second or so.
 */
export class Waking {
  readonly #now: () => number;
  #last: number;
  #until = 0;

  /** `now`: milliseconds since 1970, which a suspension does not hold up. */
  constructor(now: () => number = Date.now) {
    this.#now = now;
    this.#last = now();
  }

  isRecent(): boolean {
    const now = this.#now();
    if (now - this.#last > gapMs) this.#until = now + graceMs;
    this.#last = now;
    return now < this.#until && now >= this.#until - graceMs;
  }
}

interface TakenQueue {
  readonly role: string;
  readonly worker: Worker;
  readonly queue: Queue;
}

class BullSource extends Connection implements JobSource {
  readonly #lease: number;
  readonly #name: string;
  readonly #labels: readonly string[];
  readonly #notes: WorkerNotes;
  /** The one to ask first comes first. */
  readonly #roles: TakenQueue[] = [];
  readonly #takes: ReadonlySet<string>;

  constructor(address: QueueAddress, labels: readonly string[]) {
    const { name, roles, lease } = address;
    super(address);
    this.#lease = lease;
    this.#name = name;
    this.#labels = labels;
    this.#notes = notesOf(this.client, name, lease);
    this.#takes = new Set(roles);
    for (const role of roles) this.#open(role);
  }

  #open(role: string): void {
    const options = {
      ...this.options,
      autorun: false,
      lockDuration: this.#lease,
      skipStalledCheck: true,
    };
    const name = nameOf(this.#name, role);
    const worker = this.open(new Worker(name, null, options));
    const queue = this.open(new Queue(name, this.options));
    this.#roles.push({ role, worker, queue });
  }

  /** The queues that need labels which this worker has not. Opens new ones of its kinds. */
  async #beyond(): Promise<ReadonlySet<string>> {
    const published = await publishedLabels(this.client, this.#name);
    const beyond = [...published].flatMap(([queue, labels]) => {
      if (labels?.every((label) => this.#labels.includes(label as string)) !== true) return [queue];
      const isNew =
        this.#takes.has(takerOf(queue)) &&
        queueNames.test(queue) &&
        this.#roles.length < mostQueues &&
        !this.#roles.some(({ role }) => role === queue);
      if (isNew) this.#open(queue);
      if (isNew) this.listen(queue);
      return [];
    });
    return new Set(beyond);
  }

  announce(id: string, card: Json): Promise<void> {
    return this.#notes.announce(id, card);
  }

  order(id: string): Promise<Json> {
    return this.#notes.order(id);
  }

  leave(id: string): Promise<void> {
    return this.#notes.leave(id);
  }

  async take(except: ReadonlySet<string> = new Set()): Promise<HeldJob | null> {
    const beyond = await this.asking(null, () => this.#beyond());
    for (const one of this.#roles) {
      if (beyond.has(one.role) || except.has(one.role)) continue;
      const held = await this.#takeFrom(one);
      if (held === null) continue;
      // A role with much work must not hold up the others.
      this.#roles.push(...this.#roles.splice(0, 1));
      return held;
    }
    return null;
  }

  async #takeFrom({ role, worker, queue }: TakenQueue): Promise<HeldJob | null> {
    const token = randomUUID();
    try {
      const next = () => worker.getNextJob(token, { block: false });
      const job: Job | undefined = await this.asking(queue, next);
      if (job === undefined) return null;
      if (job.deferredFailure === undefined) return this.#held({ role, id: job.id ?? '' }, queue, job, token);
      await job.moveToFailed(new Error(job.deferredFailure), token, false);
    } catch (error) {
      if (isClosed(error)) throw error;
      // Neither what somebody wrote into the queue nor the jobs of other roles may end a worker.
      await this.foreign.setJobAside(queue, token, messageOf(error));
    }
    return null;
  }

  #held({ role, id }: JobName, queue: Queue, job: Job, token: string): HeldJob {
    const lease = this.#lease;
    const asking = <T>(act: () => Promise<T>) => this.asking(queue, act);
    const keys = [`${queue.toKey(id)}:lock`, ...['stalled', 'active'].map((name) => queue.toKey(name))];
    const renew = async () =>
      (await asking(() => this.client.eval(renewal, 3, ...keys, token, lease, id))) === 1;
    const still = async (act: () => Promise<unknown>): Promise<boolean> => {
      try {
        await asking(act);
        return true;
      } catch {
        if (!(await renew())) return false;
        await asking(act);
        return true;
      }
    };
    // Not the whole job: this is asked again and again. Null: it is gone.
    const progress = async (): Promise<Progress | null> => {
      const { client } = this;
      const [name = null, text = null] = await client.hmget(queue.toKey(id), 'name', 'progress');
      return name === null ? null : progressIn(parsed(text));
    };
    return {
      role,
      id,
      data: job.data as Json,
      renew,
      note: async (note) => {
        // A stop between the two is lost; the controller sees that, and asks again.
        const now = await progress();
        if (now !== null) await asking(() => queue.updateJobProgress(id, { ...now, note }));
      },
      asked: async () => {
        const now = await progress();
        return { stopping: now === null || now.stop === true, granted: now?.grant ?? null };
      },
      finish: (result) => still(() => job.moveToCompleted(result, token, false)),
      putBack: async () => void (await still(() => job.moveToWait(token))),
    };
  }
}

/**
 * Extends the lock of a job, as BullMQ does, and takes one again that has run out while no check
 * found its worker silent: the job is among the active ones until then.
 */
const renewal = `
local lock = redis.call('GET', KEYS[1])
if lock and lock ~= ARGV[1] then return 0 end
if not lock then
  local isActive = false
  for _, id in ipairs(redis.call('LRANGE', KEYS[3], 0, -1)) do
    if id == ARGV[3] then isActive = true end
  end
  if not isActive then return 0 end
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('SREM', KEYS[2], ARGV[3])
return 1
`;

/** What a queue of steps may be named: anybody can publish labels. */
const queueNames = /^[\w.+-]{1,500}$/;
/** How many queues a worker asks: each has connections of its own. */
const mostQueues = 200;

interface Progress {
  readonly note?: Json;
  readonly stop?: boolean;
  readonly grant?: Json;
}

function progressIn(progress: Json): Progress {
  return isJsonObject(progress) ? progress : {};
}
