import { QueueEvents, type Queue } from 'bullmq';
import { Redis } from 'ioredis';
import type { QueueAddress } from './channel.ts';
import { Foreign, isWrongType } from './foreign.ts';
import { unreachable } from './unreachable.ts';

/** Between two unprompted calls of `onChange`, in milliseconds. */
const every = 1_000;

/** How long the server may take to answer before a connection is broken, in milliseconds. */
const patience = 2_000;

/** A connection that keeps the copies which BullMQ makes of it for what listens. */
class CopiedRedis extends Redis {
  readonly #copies: Redis[];

  constructor(url: string, copies: Redis[]) {
    super(url, {
      maxRetriesPerRequest: null,
      connectTimeout: patience,
      retryStrategy: (tries) => Math.min(100 * tries, 500),
    });
    this.#copies = copies;
  }

  override duplicate(...given: Parameters<Redis['duplicate']>): Redis {
    const copy = super.duplicate(...given);
    this.#copies.push(copy);
    return copy;
  }
}

/** One connection for all roles, and what listens on connections of its own. */
export class Connection {
  readonly client: Redis;
  readonly #url: string;
  readonly #name: string;
  readonly #onChange: () => void;
  readonly foreign: Foreign;
  /** The queues in which it has looked for what is not Mailroom's. */
  readonly #looked = new WeakSet<Pick<Queue, 'toKey'>>();
  readonly #timer: NodeJS.Timeout;
  /** The connections of what listens, which BullMQ makes. */
  readonly #copies: Redis[] = [];
  readonly #opened: { close(): Promise<void> }[] = [];
  /** Null: it can be reached, or that is not known yet. */
  #error: string | null = null;
  #watching: NodeJS.Timeout | null = null;

  constructor({ url, name, roles, onChange, onForeign = () => {} }: QueueAddress) {
    this.#url = url;
    this.client = new CopiedRedis(url, this.#copies);
    this.client.on('error', (error: Error) => {
      this.#error = error.message;
      onChange();
    });
    this.client.on('ready', () => {
      this.#error = null;
      onChange();
    });
    this.#name = name;
    this.foreign = new Foreign(this.client, name, onForeign);
    this.#onChange = onChange;
    for (const role of roles) this.listen(role);
    this.#timer = setInterval(() => {
      onChange();
      this.#watch();
    }, every);
  }

  get options() {
    return { connection: this.client, prefix: 'mailroom' };
  }

  /**
   * Asks, and once more if what lies in the queue made it fail. `act` receives which time it is:
   * BullMQ leaves half of what it was doing.
   */
  async asking<T>(queue: Pick<Queue, 'toKey'> | null, act: (isAgain: boolean) => Promise<T>): Promise<T> {
    // What lies there from before is found before anything fails by it.
    if (queue !== null && !this.#looked.has(queue)) await this.#look(queue);
    try {
      return await act(false);
    } catch (error) {
      if (!isWrongType(error)) throw error;
      await this.foreign.setKeysAside(queue);
      return act(true);
    }
  }

  async #look(queue: Pick<Queue, 'toKey'>): Promise<void> {
    this.#looked.add(queue);
    await this.foreign.setKeysAside(queue);
  }

  /** Reports what happens in a queue. */
  listen(role: string): void {
    const events = this.open(new QueueEvents(nameOf(this.#name, role), this.options));
    for (const event of ['waiting', 'progress', 'completed', 'failed', 'stalled'] as const)
      events.on(event, this.#onChange);
  }

  /** Closes it with the connection. Its errors are those of the connection. */
  open<T extends { on(event: 'error', act: (error: Error) => void): unknown; close(): Promise<void> }>(
    one: T,
  ): T {
    one.on('error', () => {});
    this.#opened.push(one);
    return one;
  }

  /**
   * TCP repeats what was lost after ever longer pauses, and a connection through a network that was
   * away for a minute may stay silent for one more. A new one is there at once.
   */
  #watch(): void {
    if (this.client.status !== 'ready' || this.#watching !== null) return;
    this.#watching = setTimeout(() => {
      this.#watching = null;
      this.client.disconnect(true);
    }, patience);
    const answered = () => {
      if (this.#watching !== null) clearTimeout(this.#watching);
      this.#watching = null;
    };
    this.client.ping().then(answered, answered);
  }

  problem(): string | null {
    if (this.#error === null) return null;
    const { problem, hint } = unreachable(this.#url, this.#error);
    return `${problem}; ${hint}`;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    if (this.#watching !== null) clearTimeout(this.#watching);
    // What listens is in the middle of a read that would end seconds later.
    for (const connection of [this.client, ...this.#copies]) connection.disconnect();
    // One that was never connected would wait for that.
    const closed = Promise.allSettled(this.#opened.map((one) => one.close()));
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, patience).unref())]);
  }
}

/** BullMQ's name of a role's queue. It must not contain `:`. */
export function nameOf(project: string, role: string): string {
  return `${project}.${role}`;
}
