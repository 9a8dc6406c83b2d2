export interface Clock {
  /** The wall clock, in milliseconds since 1970. It can be set forward or back. */
  now(): number;
  /** A monotonic clock in milliseconds; missing: the wall clock is used. */
  elapsed?(): number;
  /** Milliseconds in which this process did not run, or its clock was set; missing: none. */
  suspended?(): number;
}
