/**
 * A process as a host records it. Pid and start time, made of the system's boot and the process's
 * start, identify it permanently.
 */
export interface Launched {
  readonly pid: number;
  readonly startTime: string;
  readonly mark: string;
}
