import type { JsonObject } from '../kernel/json.ts';

/*
 * The memory of one workflow's triggers. Plain JSON: the host writes it to disk before it acts on
 * it, and the next host continues from it.
 */

/** A run that a trigger requests. Its id is assigned before it starts, so that it starts once. */
export interface Start {
  readonly run: string;
  readonly trigger: string;
  /** When it was first requested. */
  readonly at: number;
  /** How often it was requested before it began. */
  readonly count: number;
  /** The data of the last request. */
  readonly data: JsonObject;
}

export interface TriggerMemory {
  /** Of cron, every and command: the next due time; null: not computed yet. */
  readonly due: number | null;
  /** Of cron: the last scheduled time that was handled. */
  readonly taken: number | null;
  /** Of files: changes that no run covers yet, and when the last change was seen. */
  readonly changed: { readonly at: number; readonly files: readonly string[] } | null;
  /** Of command: its last output; null: it has not succeeded yet. */
  readonly printed: string | null;
  /** The run that waits for the current one to end. */
  readonly waiting: Start | null;
  /** Why its filter could not be evaluated the last time; null: it could. */
  readonly unfiltered: string | null;
  /** When the last run that it started ended. */
  readonly ended: number | null;
  /** The id of the last run that it started. */
  readonly last: string | null;
}

/** All triggers of one workflow. */
export interface TriggersMemory {
  /** The current run of the workflow, from the decision to start it. At most one. */
  readonly going: Start | null;
  readonly triggers: Readonly<Record<string, TriggerMemory>>;
}
