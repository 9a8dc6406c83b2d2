import type { Clock } from '../kernel/clock.ts';

/**
 * The time of a host: the wall clock, but never before the last event, and never stopped. When the
 * wall clock is set back this time continues, so that pauses, deadlines and retries still come.
 */
export class HostTime {
  readonly #clock: Clock;
  /** The last time returned, and the monotonic clock at that moment. */
  #time = 0;
  #elapsed: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#elapsed = this.#realTime();
  }

  /** The host's time, in milliseconds since 1970. `last`: the time of the last event. */
  now(last: number): number {
    const elapsed = this.#realTime();
    const gone = Math.max(0, elapsed - this.#elapsed);
    this.#elapsed = elapsed;
    this.#time = Math.max(this.#clock.now(), last, this.#time + gone);
    return Math.floor(this.#time);
  }

  /** Converts a time of the host to the wall clock's. */
  onWall(time: number, last: number): number {
    return time - (this.now(last) - this.#clock.now());
  }

  #realTime(): number {
    return this.#clock.elapsed?.() ?? this.#clock.now();
  }
}
