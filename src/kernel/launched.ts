/**
 * A process that was started behind the launch barrier; pid and start time identify it permanently.
 */
export interface Launched {
  readonly pid: number;
  readonly startTime: string;
  readonly mark: string;
}

/** A job in the queue of the workers, by its id, which outlives the host that added it. */
export interface Queued {
  readonly job: string;
  /** What its result must name. */
  readonly nonce: string;
}

/** What a worker must have to run the turns of a role. */
export interface WorkerNeeds {
  readonly labels: readonly string[];
}

/** The worker that runs a turn, as it names itself. */
export interface Assigned {
  readonly host: string;
  /** Of this start of the worker. */
  readonly id: string;
  /** Whose usage limits its agents have: those of one login are shared. */
  readonly login: string;
}

/** How a turn was started: on this host, or through the queue. */
export type TurnLaunch = Launched | Queued;

/** Whether a turn continues without the host that started it. */
export function isQueued(launch: TurnLaunch | null): launch is Queued {
  return launch !== null && 'job' in launch;
}
