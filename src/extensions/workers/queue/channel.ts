import type { Json } from '../../../kernel/json.ts';

/*
 * The queue between the controller and its workers, as each side sees it. Every job belongs to a
 * role, or to steps of a kind with the same labels, and its id is never used for another one. What
 * a job says is signed by those who say it: the queue may lose or delay it, and its words are those
 * of an outsider.
 */

/** What the queue knows of a job. */
export type JobState =
  | { readonly is: 'missing' }
  | { readonly is: 'waiting' }
  /**
   * `note`: what its worker said of itself when it took the job; null: nothing yet. `granted`: what
   * the controller has answered; null: nothing yet.
   */
  | { readonly is: 'running'; readonly note: Json; readonly stopping: boolean; readonly granted: Json }
  /** `bytes`: the size of the result, which is null where it is above `mostBytes`. */
  | { readonly is: 'done'; readonly result: Json; readonly bytes: number }
  /** Its worker was silent for longer than the lease. */
  | { readonly is: 'lost'; readonly note: Json };

/** What the queue carries at most for one job, and for one result, in bytes. */
export const mostBytes = 1_000_000;

export interface JobName {
  /** The role, or the name by `stepQueue`. */
  readonly role: string;
  readonly id: string;
}

/** The controller's side. Calls wait while it cannot be reached, and reject after `close`. */
export interface JobQueue {
  /**
   * Adds a job with the data that it carries; one that exists stays as it is. Only workers with
   * these labels take jobs of its role from now on.
   */
  add(job: JobName, data: Json, labels: readonly string[]): Promise<void>;
  look(job: JobName): Promise<JobState>;
  /** Answers the worker of a running job that it may begin. */
  grant(job: JobName, grant: Json): Promise<void>;
  /** Asks the worker of a running job to stop it. */
  stop(job: JobName): Promise<void>;
  /** Removes a job that does not run. */
  remove(job: JobName): Promise<void>;
  /** Why the queue cannot be reached now, in words; null: it can. */
  problem(): string | null;
  close(): Promise<void>;
}

/** How `JobQueue` and `JobSource` are opened. */
export interface QueueAddress {
  readonly url: string;
  /** The part of the queue's keys that distinguishes one project from others. */
  readonly name: string;
  /** Of a worker: what it takes, as `takerOf` names it. */
  readonly roles: readonly string[];
  /** How long a silent worker keeps a job, in milliseconds. */
  readonly lease: number;
  /** Called when something may have changed, and from time to time. */
  readonly onChange: () => void;
  /** Receives what lies in the queue and is not Mailroom's, in words: it was set aside. */
  readonly onForeign?: (problem: string) => void;
}

/** A job that this worker holds, until it is finished, put back or lost. */
export interface HeldJob extends JobName {
  readonly data: Json;
  /** Keeps it for another lease. False: it is not held any more. */
  renew(): Promise<boolean>;
  /** Says what worker holds it. */
  note(about: Json): Promise<void>;
  /** Whether the controller wants it stopped, and what it has granted; null: nothing yet. */
  asked(): Promise<{ readonly stopping: boolean; readonly granted: Json }>;
  /** Ends it with a result. False: it is not held any more, and the result is dropped. */
  finish(result: Json): Promise<boolean>;
  /** Leaves it to other workers. */
  putBack(): Promise<void>;
}

/** What a worker says of itself, and its orders. The queue does not check what is written here. */
export interface WorkerNotes {
  /** Says what a worker is and does; it counts as alive for one lease. */
  announce(id: string, card: Json): Promise<void>;
  /** The last order to a worker; null: none. */
  order(id: string): Promise<Json>;
  /** Removes what was said of a worker, and its order. */
  leave(id: string): Promise<void>;
}

/** The worker's side. Calls wait while the queue cannot be reached, and reject after `close`. */
export interface JobSource extends WorkerNotes {
  /** A waiting job of one of the roles but these, held from now on; null: there is none. */
  take(except?: ReadonlySet<string>): Promise<HeldJob | null>;
  problem(): string | null;
  close(): Promise<void>;
}
