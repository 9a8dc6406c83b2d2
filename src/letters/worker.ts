import * as z from 'zod';
import type { JsonObject } from '../kernel/json.ts';
import type { Assigned } from '../kernel/launched.ts';
import { stepKinds } from '../kernel/step-queues.ts';
import { name } from '../yaml/schema.ts';
import { problemOf, type Read } from './letters.ts';

/*
 * What workers say of themselves, and the orders to them, inside signed documents.
 */

/** What a worker can be ordered to do. */
const workerOrders = ['drain', 'pause', 'unpause'] as const;
export type WorkerOrder = (typeof workerOrders)[number];

const text = z.string({ error: 'a string' }).max(1_000, { error: 'at most 1,000 characters long' });
const time = z.int().min(0);

const workerCard = z.object({
  host: text,
  id: text,
  /** Whose usage limits its agents have. */
  login: text,
  /** Of the program. */
  version: text,
  roles: z.array(name),
  /** The kinds of steps of workflows that it runs. */
  steps: z.array(z.enum(stepKinds)),
  labels: z.array(text),
  slots: z.int().min(1),
  /** The turns that it runs: `turn/attempt/round`. */
  running: z.array(text),
  /** The providers that have hit a usage limit of its login, and until when. */
  parked: z.array(z.object({ provider: text, until: time })),
  /** Milliseconds since 1970, on the worker's clock. */
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

/** A worker, as the controller sees it. */
const seenWorker = z.object({
  ...workerCard.shape,
  parked: z.array(z.object({ provider: text, until: text })),
  /** When it started, and when it announced itself last: ISO 8601 in UTC, on its clock. */
  since: text,
  lastSeen: text,
  /** `silent`: it has not announced itself for one lease. */
  state: z.enum(['active', 'paused', 'draining', 'silent']),
});

export interface SeenWorker extends Readonly<z.output<typeof seenWorker>> {}

const seenWorkers = z.object({ workers: z.array(seenWorker) });

const workerOrder = z.object({
  do: z.enum(workerOrders),
  /** When it was given, in milliseconds since 1970 on the clock of the queue. */
  at: z.number(),
});

interface GivenOrder extends Readonly<z.output<typeof workerOrder>> {}

/** What every version says of a worker. */
const namedWorker = z.object({ host: text, id: text, version: text });

export interface NamedWorker extends Readonly<z.output<typeof namedWorker>> {}

export const readNamedWorker = (given: JsonObject): Read<NamedWorker> => read(namedWorker, given);

export const readWorkerCard = (given: JsonObject): Read<WorkerCard> => read(workerCard, given);

export const readAssigned = (given: JsonObject): Read<Assigned> => read(assigned, given);

/** What a controller publishes of its workers. */
export const readSeenWorkers = (given: JsonObject): Read<{ readonly workers: readonly SeenWorker[] }> =>
  read(seenWorkers, given);

export const readWorkerOrder = (given: JsonObject): Read<GivenOrder> => read(workerOrder, given);

function read<T>(schema: z.ZodType<T>, given: JsonObject): Read<T> {
  const result = schema.safeParse(given);
  return result.success ? { ok: true, value: result.data } : { ok: false, problem: problemOf(result.error) };
}
