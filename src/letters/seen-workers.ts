import * as z from 'zod';
import type { JsonObject } from '../kernel/json.ts';
import { stepKinds } from '../kernel/step-queues.ts';
import { name } from '../yaml/schema.ts';
import { problemOf, type Read } from './letters.ts';

const text = z.string({ error: 'a string' }).max(1_000, { error: 'at most 1,000 characters long' });

/** A worker, as the controller sees it. */
export const seenWorker = z.object({
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
  parked: z.array(z.object({ provider: text, until: text })),
  /** When it started, and when it announced itself last: ISO 8601 in UTC, on its clock. */
  since: text,
  lastSeen: text,
  /** `silent`: it has not announced itself for one lease. */
  state: z.enum(['active', 'paused', 'draining', 'silent']),
});

export interface SeenWorker extends Readonly<z.output<typeof seenWorker>> {}

const seenWorkers = z.object({ workers: z.array(seenWorker) });

/** What a controller publishes of its workers. */
export function readSeenWorkers(given: JsonObject): Read<{ readonly workers: readonly SeenWorker[] }> {
  const result = seenWorkers.safeParse(given);
  return result.success ? { ok: true, value: result.data } : { ok: false, problem: problemOf(result.error) };
}
