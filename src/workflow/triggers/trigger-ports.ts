import type { JsonObject } from '../../kernel/json.ts';
import type { Moment } from '../machine/triggers/decide.ts';
import type { TriggersMemory } from '../../letters/letters.ts';
import type { Writing } from '../../disk/writers.ts';
import type { Clock } from '../../kernel/clock.ts';

/** The ports of triggers. */
export interface TriggerPorts {
  readonly clock: Clock;
  /** The id of a new run. */
  readonly newId: () => string;
  readonly next: Moment['next'];
  /** What a person has said to a run that waits for one. */
  readonly said: NonNullable<Moment['said']>;
  /** The memory of a workflow's triggers, by its file. Written by one rename. */
  readonly memory: {
    read(workflow: string): TriggersMemory;
    write(workflow: string, memory: TriggersMemory): void;
  };
  /** The project files that match globs, each with a fingerprint that changes with the file. */
  files(globs: readonly string[]): ReadonlyMap<string, string>;
  /** Whether a process has them open for writing, for each of these files. */
  writing(files: readonly string[]): readonly Writing[];
  /**
   * Runs a program in the project to its end; its output, or null when it failed. Never rejects.
   */
  poll(argv: readonly string[]): Promise<string | null>;
  /**
   * Starts a run, or continues it where its last host ended, and follows it. True: it has ended.
   * False: it was stopped. Rejects with a `MailroomError` when it cannot begin; `E_LOCKED`: not
   * now.
   */
  run(workflow: string, run: string, trigger: JsonObject): Promise<boolean>;
  /** Cancels a run for a newer one. False: no process hosts it. */
  cancel(run: string, newer: string): boolean;
  /** Makes the host look again. */
  wake(): void;
  /** Ends the host after an unexpected error. */
  failed(error: unknown): void;
}
