import * as z from 'zod';
import type { JsonObject } from '../../../kernel/json.ts';
import type { Assigned } from '../../../kernel/launched.ts';
import { problemOf, type Read } from '../../../letters/letters.ts';
import { seenWorker } from '../../../letters/seen-workers.ts';

/*
 * What workers say of themselves, and the orders to them, inside signed documents.
 */

/** What a worker can be ordered to do. */
const workerOrders = ['drain', 'pause', 'unpause'] as const;
export type WorkerOrder = (typeof workerOrders)[number];

const { host: text, version } = seenWorker.shape;
const time = z.int().min(0);

/** Times are milliseconds since 1970, on the worker's clock. */
const workerCard = z.object({
  ...seenWorker.shape,
  parked: z.array(z.object({ provider: text, until: time })),
  since: time,
  lastSeen: time,
  state: z.enum(['active', 'paused', 'draining']),
});

export interface WorkerCard extends Readonly<z.output<typeof workerCard>> {}

/** How a worker names itself to the controller. */
export const assigned = z.object(
  { host: text, id: text, login: text },
  { error: 'an object with `host`, `id` and `login`' },
);

const workerOrder = z.object({
  do: z.enum(workerOrders),
  /** When it was given, in milliseconds since 1970 on the clock of the queue. */
  at: z.number(),
});

interface GivenOrder extends Readonly<z.output<typeof workerOrder>> {}

/** What every version says of a worker. */
const namedWorker = z.object({ host: text, id: text, version });

export interface NamedWorker extends Readonly<z.output<typeof namedWorker>> {}

export const readNamedWorker = (given: JsonObject): Read<NamedWorker> => read(namedWorker, given);

export const readWorkerCard = (given: JsonObject): Read<WorkerCard> => read(workerCard, given);

export const readAssigned = (given: JsonObject): Read<Assigned> => read(assigned, given);

export const readWorkerOrder = (given: JsonObject): Read<GivenOrder> => read(workerOrder, given);

function read<T>(schema: z.ZodType<T>, given: JsonObject): Read<T> {
  const result = schema.safeParse(given);
  return result.success ? { ok: true, value: result.data } : { ok: false, problem: problemOf(result.error) };
}
