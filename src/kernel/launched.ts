/**
 * A process that was started behind the launch barrier; pid and start time identify it permanently.
 */
export interface Launched {
  readonly pid: number;
  readonly startTime: string;
  readonly mark: string;
}
