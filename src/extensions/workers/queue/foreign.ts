import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';

/*
 * What somebody else has written into the queue in Redis: whatever it is, it ends neither a worker
 * nor a controller. It is renamed, reported once, and kept for a week.
 */

/** The types of the keys of one queue of BullMQ. */
const queueTypes: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['wait', 'active', 'paused'].map((name) => [name, 'list'])),
  ...Object.fromEntries(
    ['completed', 'failed', 'delayed', 'prioritized', 'waiting-children', 'marker'].map((name) => [
      name,
      'zset',
    ]),
  ),
  ...Object.fromEntries(['id', 'pc', 'stalled-check', 'limiter'].map((name) => [name, 'string'])),
  stalled: 'set',
  events: 'stream',
  meta: 'hash',
};

/** Those of a project beside its queues. */
const boardTypes = { workers: 'hash', orders: 'hash', labels: 'hash' } as const;

/** How many jobs are looked at. */
const mostJobs = 1_000;
const keptSeconds = 7 * 24 * 3_600;

/** Names keys of a queue. */
interface Keys {
  toKey(name: string): string;
}

export class Foreign {
  readonly #client: Redis;
  readonly #project: string;
  readonly #report: (problem: string) => void;

  constructor(client: Redis, project: string, report: (problem: string) => void) {
    this.#client = client;
    this.#project = project;
    this.#report = report;
  }

  /** Sets the keys aside that have another type than they must have. */
  async setKeysAside(queue: Keys | null): Promise<void> {
    const board = Object.entries(boardTypes).map(
      ([name, type]) => [`mailroom:${this.#project}:${name}`, type] as const,
    );
    const own = Object.entries(queue === null ? {} : queueTypes).map(
      ([name, type]) => [queue?.toKey(name) ?? '', type] as const,
    );
    const labelled = (await this.#keysLike(`mailroom:${this.#project}:labelled:*`)).map(
      (key) => [key, 'set'] as const,
    );
    for (const [key, type] of [...board, ...own, ...labelled]) {
      const found = await this.#client.type(key);
      if (found === 'none' || found === type) continue;
      await this.#setAside(key, `it is a ${found}, not a ${type}`);
    }
    if (queue !== null) await this.#setJobsAside(queue);
  }

  async #keysLike(pattern: string): Promise<string[]> {
    const [, keys] = await this.#client.scan('0', 'MATCH', pattern, 'COUNT', mostJobs);
    return keys;
  }

  /** The jobs of a queue that are no hashes. */
  async #setJobsAside(queue: Keys): Promise<void> {
    for (const name of ['wait', 'active'])
      for (const id of await this.#client.lrange(queue.toKey(name), 0, mostJobs)) {
        const found = await this.#client.type(queue.toKey(id));
        if (found === 'hash' || found === 'none') continue;
        await this.#client.lrem(queue.toKey(name), 0, id);
        await this.#setAside(queue.toKey(id), `it is a ${found}, not a hash`);
      }
  }

  /** Sets the job aside that was taken with this token. */
  async setJobAside(queue: Keys, token: string, why: string): Promise<void> {
    const active = queue.toKey('active');
    for (const id of await this.#client.lrange(active, 0, mostJobs)) {
      const lock = `${queue.toKey(id)}:lock`;
      if ((await this.#client.get(lock).catch(() => null)) !== token) continue;
      await this.#client.multi().lrem(active, 0, id).del(lock).exec();
      return this.#setAside(queue.toKey(id), why);
    }
    this.#report(`the queue ${queue.toKey('')} cannot be read: ${why}`);
  }

  async #setAside(key: string, why: string): Promise<void> {
    const name = `mailroom:${this.#project}:set-aside:${randomUUID()}`;
    const [[, renamed] = []] =
      (await this.#client.multi().renamenx(key, name).expire(name, keptSeconds).exec()) ?? [];
    if (renamed === 1)
      this.#report(
        `${key.slice(0, 200)} in the queue is not Mailroom's: ${why}; it was set aside as ${name}`,
      );
  }
}

export function isWrongType(error: unknown): boolean {
  return error instanceof Error && error.message.includes('WRONGTYPE');
}

/** Whether a question was not answered because its connection was closed. */
export function isClosed(error: unknown): boolean {
  return error instanceof Error && /connection is closed|ECONN|EPIPE|ETIMEDOUT/i.test(error.message);
}
