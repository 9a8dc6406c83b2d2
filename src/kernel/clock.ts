export interface Clock {
  /** The wall clock, in milliseconds since 1970. Somebody may set it, forward or back. */
  now(): number;
  /** Milliseconds since some instant, which nobody can set; where it is missing the wall clock stands in. */
  elapsed?(): number;
}
