/* Statuses of a run and its steps in files and documents; see docs/contributing/states.md. */

export type RunStatus = 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'CANCELLED';

export type StepStatus =
  | 'PENDING'
  | 'READY'
  | 'RUNNING'
  | 'CHECKING'
  | 'SUCCEEDED'
  | 'FAILED'
  | 'INCOMPLETE'
  | 'SKIPPED'
  | 'CANCELLED';

/** The final statuses of a step. */
export type SettledStatus = Extract<
  StepStatus,
  'SUCCEEDED' | 'FAILED' | 'INCOMPLETE' | 'SKIPPED' | 'CANCELLED'
>;
