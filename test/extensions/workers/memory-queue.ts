import type { Json } from '../../../src/kernel/json.ts';
import {
  mostBytes,
  type HeldJob,
  type JobName,
  type JobQueue,
  type JobSource,
  type JobState,
} from '../../../src/extensions/workers/queue/channel.ts';

interface Job extends JobName {
  readonly data: Json;
  state: 'waiting' | 'running' | 'done' | 'lost';
  /** Counts its takers, so that an earlier one is recognised. */
  holder: number;
  /** Until when its worker holds it, in milliseconds since 1970. */
  heldUntil: number;
  note: Json;
  granted: Json;
  stopping: boolean;
  result: Json;
}

type Side = Pick<Parameters<MemoryQueue['source']>[0], 'onChange'>;

/** The queue without a server. It passes the contract that Redis passes. */
export class MemoryQueue {
  readonly #now: () => number;
  readonly #jobs = new Map<string, Job>();
  readonly #labels = new Map<string, readonly string[]>();
  readonly #cards = new Map<string, Json>();
  readonly #orders = new Map<string, Json>();
  readonly #sides = new Set<() => void>();

  /** `now`: milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now;
  }

  queue({ onChange }: Side): JobQueue {
    this.#sides.add(onChange);
    return {
      add: async (name, data, labels) => {
        this.#labels.set(name.role, labels);
        if (this.#jobs.has(keyOf(name))) return;
        const begun = { state: 'waiting', holder: 0, heldUntil: 0, note: null, granted: null } as const;
        this.#jobs.set(keyOf(name), { ...name, ...begun, data, stopping: false, result: null });
        this.#changed();
      },
      look: async (name) => stateOf(this.#find(name)),
      stop: async (name) => {
        const job = this.#find(name);
        if (job !== undefined) job.stopping = true;
        this.#changed();
      },
      grant: async (name, granted) => {
        const job = this.#find(name);
        if (job !== undefined) job.granted = granted;
        this.#changed();
      },
      remove: async (name) => {
        if (this.#find(name)?.state !== 'running') this.#jobs.delete(keyOf(name));
        this.#changed();
      },
      problem: () => null,
      close: async () => void this.#sides.delete(onChange),
    };
  }

  source(given: {
    readonly roles: readonly string[];
    readonly labels: readonly string[];
    readonly lease: number;
    readonly onChange: () => void;
  }): JobSource {
    this.#sides.add(given.onChange);
    return {
      take: async (except = new Set()) => this.#take(given, except),
      announce: async (id, card) => void this.#cards.set(id, card),
      order: async (id) => this.#orders.get(id) ?? null,
      leave: async (id) => void (this.#cards.delete(id) && this.#orders.delete(id)),
      problem: () => null,
      close: async () => void this.#sides.delete(given.onChange),
    };
  }

  /** Whether a job of one of these roles waits. */
  isWaiting(roles: readonly string[]): boolean {
    return [...this.#jobs.values()].some(({ role, state }) => state === 'waiting' && roles.includes(role));
  }

  #take(
    { roles, labels, lease }: Parameters<MemoryQueue['source']>[0],
    except: ReadonlySet<string>,
  ): HeldJob | null {
    for (const role of roles) {
      if (except.has(role)) continue;
      if ((this.#labels.get(role) ?? []).some((label) => !labels.includes(label))) continue;
      const job = [...this.#jobs.values()].find((one) => one.role === role && one.state === 'waiting');
      if (job !== undefined) return this.#held(job, lease);
    }
    return null;
  }

  #held(job: Job, lease: number): HeldJob {
    const { role, id, data } = job;
    const holder = (job.holder += 1);
    job.state = 'running';
    job.heldUntil = this.#now() + lease;
    this.#changed();
    const change = async (make: (held: Job) => void): Promise<boolean> => {
      const found = this.#find(job);
      if (found?.state !== 'running' || found.holder !== holder) return false;
      make(found);
      this.#changed();
      return true;
    };
    return {
      role,
      id,
      data,
      renew: () => change((held) => (held.heldUntil = this.#now() + lease)),
      note: async (about) => void (await change((held) => (held.note = about))),
      asked: async () => {
        const { stopping = true, granted = null } = this.#find(job) ?? {};
        return { stopping, granted };
      },
      finish: (result) => change((held) => Object.assign(held, { state: 'done', result })),
      putBack: async () => void (await change((held) => (held.state = 'waiting'))),
    };
  }

  /** A job as it is now: without its worker's lease, it is lost. */
  #find(name: JobName): Job | undefined {
    const job = this.#jobs.get(keyOf(name));
    if (job?.state === 'running' && job.heldUntil < this.#now()) job.state = 'lost';
    return job;
  }

  #changed(): void {
    for (const change of this.#sides) change();
  }
}

function keyOf({ role, id }: JobName): string {
  return `${role} ${id}`;
}

function stateOf(job: Job | undefined): JobState {
  if (job === undefined) return { is: 'missing' };
  if (job.state === 'done') {
    const bytes = Buffer.byteLength(JSON.stringify(job.result));
    return { is: 'done', result: bytes > mostBytes ? null : job.result, bytes };
  }
  if (job.state === 'running')
    return { is: 'running', note: job.note, stopping: job.stopping, granted: job.granted };
  return job.state === 'lost' ? { is: 'lost', note: job.note } : { is: 'waiting' };
}
