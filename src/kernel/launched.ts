/** A process that was started behind the launch gate; pid and start time identify it permanently. */
export interface Launched {
  readonly pid: number;
  readonly startTime: string;
  readonly mark: string;
}
