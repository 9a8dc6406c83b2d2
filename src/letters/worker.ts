import * as z from 'zod';
import type { JsonObject } from '../kernel/json.ts';
import { name } from '../yaml/schema.ts';
import { problemOf, type Read } from './letters.ts';

/*
 * What workers say of themselves, and the orders to them, inside signed documents.
 */

/** What a worker can be ordered to do. */
const workerOrders = ['drain', 'pause', 'unpause'] as const;
export type WorkerOrder = (typeof workerOrders)[number];

const text = z.string().max(1_000);
const time = z.int().min(0);

const workerCard = z.object({
  host: text,
  id: text,
  /** Of the program. */
  version: text,
  roles: z.array(name),
  labels: z.array(text),
  slots: z.int().min(1),
  /** The turns that it runs: `turn/attempt/round`. */
  running: z.array(text),
  /** Milliseconds since 1970, on the worker's clock. */
  since: time,
  lastSeen: time,
  state: z.enum(['active', 'paused', 'draining']),
});

export interface WorkerCard extends Readonly<z.output<typeof workerCard>> {}

const workerOrder = z.object({ do: z.enum(workerOrders) });

export const readWorkerCard = (given: JsonObject): Read<WorkerCard> => read(workerCard, given);

export const readWorkerOrder = (given: JsonObject): Read<{ readonly do: WorkerOrder }> =>
  read(workerOrder, given);

function read<T>(schema: z.ZodType<T>, given: JsonObject): Read<T> {
  const result = schema.safeParse(given);
  return result.success ? { ok: true, value: result.data } : { ok: false, problem: problemOf(result.error) };
}
