import { Redis } from 'ioredis';
import { parseJson, type Json } from '../../../kernel/json.ts';
import { Foreign, isWrongType } from './foreign.ts';
import type { JobName, WorkerNotes } from './channel.ts';

/*
 * What lies in Redis beside the jobs: what workers say of themselves, the orders to them, and the
 * labels that roles ask for.
 */

/** Names of keys. `project`: the part of the queue's keys that belongs to it. */
const cardsOf = (project: string) => `mailroom:${project}:workers`;
const ordersOf = (project: string) => `mailroom:${project}:orders`;
const labelsOf = (project: string) => `mailroom:${project}:labels`;
/** The jobs of a queue whose labels are published. */
const labelledOf = (project: string, role: string) => `mailroom:${project}:labelled:${role}`;
const aliveOf = (project: string, id: string) => `mailroom:${project}:alive:${id}`;

/** A worker's part of the board. */
export function notesOf(client: Redis, project: string, lease: number): WorkerNotes {
  return {
    announce: async (id, card) => {
      await client
        .multi()
        .hset(cardsOf(project), id, JSON.stringify(card))
        .set(aliveOf(project, id), '1', 'PX', lease)
        .exec();
    },
    order: async (id) => parsed(await client.hget(ordersOf(project), id)),
    leave: async (id) => remove(client, project, id),
  };
}

/** Publishes which labels a worker needs for the jobs of a queue, until `withdrawLabels`. */
export async function publishLabels(
  client: Redis,
  project: string,
  { role, id }: JobName,
  labels: readonly string[],
): Promise<void> {
  await client
    .multi()
    .sadd(labelledOf(project, role), id)
    .hset(labelsOf(project), role, JSON.stringify(labels))
    .exec();
}

/** A job is gone. With the last one of a queue its labels go, too. */
export async function withdrawLabels(client: Redis, project: string, { role, id }: JobName): Promise<void> {
  const withdraw = `redis.call('srem', KEYS[1], ARGV[1])
    if redis.call('scard', KEYS[1]) == 0 then redis.call('hdel', KEYS[2], ARGV[2]) end`;
  await client.eval(withdraw, 2, labelledOf(project, role), labelsOf(project), id, role);
}

/** The queues whose jobs need labels, with them; null: what is written there cannot be read. */
export async function publishedLabels(
  client: Redis,
  project: string,
): Promise<ReadonlyMap<string, readonly Json[] | null>> {
  const published = Object.entries(await client.hgetall(labelsOf(project)));
  return new Map(
    published.map(([queue, text]) => {
      const labels = parsed(text);
      return [queue, Array.isArray(labels) ? labels : null];
    }),
  );
}

export type WorkerBoard = Awaited<ReturnType<typeof openBoard>>;

/** What the workers of a project say of themselves. Rejects if the queue cannot be reached. */
export async function openBoard(url: string, project: string) {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: 5_000,
    commandTimeout: 5_000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let why: Error | null = null;
  client.on('error', (error: Error) => (why ??= error));
  try {
    await client.connect();
    await client.ping();
  } catch (error) {
    client.disconnect();
    throw why ?? error;
  }
  const foreign = new Foreign(client, project, () => {});
  const all = () => client.hgetall(cardsOf(project));
  return {
    cards: async () => {
      const cards = Object.entries(
        await all().catch(async (error: unknown) => {
          if (!isWrongType(error)) throw error;
          await foreign.setKeysAside(null);
          return all();
        }),
      );
      return Promise.all(
        cards.map(async ([id, text]) => {
          const isAlive = (await client.exists(aliveOf(project, id))) === 1;
          return { id, card: parsed(text), isAlive };
        }),
      );
    },
    order: async (id: string, order: Json) => {
      await client.hset(ordersOf(project), id, JSON.stringify(order));
    },
    remove: (id: string) => remove(client, project, id),
    /** The time of the host of the queue, in milliseconds since 1970. */
    clock: async () => {
      const [seconds, microseconds] = await client.time();
      return Number(seconds) * 1_000 + Number(microseconds) / 1_000;
    },
    close: () => client.disconnect(),
  };
}

async function remove(client: Redis, project: string, id: string): Promise<void> {
  await client
    .multi()
    .hdel(cardsOf(project), id)
    .hdel(ordersOf(project), id)
    .del(aliveOf(project, id))
    .exec();
}

/** What is not JSON, or nested too deep, counts as absent: it has no signature. */
export function parsed(text: string | null): Json {
  return text === null ? null : (parseJson(text) ?? null);
}
