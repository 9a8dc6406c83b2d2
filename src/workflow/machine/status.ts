/*
 * Statuses of a run and of its steps, as files and documents show them. docs/states.md has the table.
 */

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

/** The statuses in which a step stays. */
export type SettledStatus = Extract<
  StepStatus,
  'SUCCEEDED' | 'FAILED' | 'INCOMPLETE' | 'SKIPPED' | 'CANCELLED'
>;
