import type { JsonObject } from '../kernel/json.ts';

/*
 * What is remembered of the triggers of one workflow. Plain JSON: the host writes it down before anything follows from it,
 * and the next host goes on with it.
 */

/** A run that a trigger asks for. Its id is given before it starts, so that it is started once. */
export interface Start {
  readonly run: string;
  readonly trigger: string;
  /** When it was asked for first. */
  readonly at: number;
  /** How many times it was asked for until it began. */
  readonly count: number;
  /** What the last of them had to say. */
  readonly data: JsonObject;
}

export interface TriggerMemory {
  /** Of cron and command: when it is due next; null: to be worked out. */
  readonly due: number | null;
  /** Of cron: the last instant that was taken. */
  readonly taken: number | null;
  /** Of files: what has changed and is no run's matter yet, and when the last change was seen. */
  readonly changed: { readonly at: number; readonly files: readonly string[] } | null;
  /** Of command: what it printed last; null: it has not succeeded yet. */
  readonly printed: string | null;
  /** A run that waits for the one that goes on. */
  readonly waiting: Start | null;
  /** When the last run that it started ended. */
  readonly ended: number | null;
  /** The last run that it started. */
  readonly last: string | null;
}

/** All triggers of one workflow. */
export interface TriggersMemory {
  /** The run of the workflow that goes on, from when it is decided. At most one. */
  readonly going: Start | null;
  readonly triggers: Readonly<Record<string, TriggerMemory>>;
}
