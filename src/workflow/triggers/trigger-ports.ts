import type { JsonObject } from '../../kernel/json.ts';
import type { Moment } from '../machine/triggers/decide.ts';
import type { TriggersMemory } from '../../letters/triggers-memory.ts';
import type { Clock } from '../../kernel/clock.ts';

/** Everything that triggers need from outside. */
export interface TriggerPorts {
  readonly clock: Clock;
  /** The id of a new run. */
  readonly newId: () => string;
  readonly next: Moment['next'];
  /** What is remembered of the triggers of a workflow, by its file. Written by one rename. */
  readonly memory: {
    read(workflow: string): TriggersMemory;
    write(workflow: string, memory: TriggersMemory): void;
  };
  /** The files of the project that globs mean, each with what differs when it has changed. */
  files(globs: readonly string[]): ReadonlyMap<string, string>;
  /** Runs a program in the project to its end; what it printed, or null when it did not succeed. Never rejects. */
  poll(argv: readonly string[]): Promise<string | null>;
  /**
   * Makes a run begin, or go on where its last host ended, and follows it. True: it is over. False: it was stopped. Rejects
   * with a `MailroomError` when it cannot begin; `E_LOCKED`: not now.
   */
  run(workflow: string, run: string, trigger: JsonObject): Promise<boolean>;
  /** Has the host look again. */
  wake(): void;
  /** Ends the host: something went wrong that nobody foresaw. */
  failed(error: unknown): void;
}
