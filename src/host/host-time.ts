import type { Clock } from '../kernel/clock.ts';

/**
 * The time that a host works by: the wall clock, but never before the last event, and never standing still. When the wall
 * clock is set back it goes on from where it was, so that pauses, deadlines and retries still come.
 */
export class HostTime {
  readonly #clock: Clock;
  /** What was told last, and what the clock that nobody can set showed then. */
  #time = 0;
  #elapsed: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#elapsed = this.#realTime();
  }

  /** `last`: when the last event was. */
  now(last: number): number {
    const elapsed = this.#realTime();
    const gone = Math.max(0, elapsed - this.#elapsed);
    this.#elapsed = elapsed;
    this.#time = Math.max(this.#clock.now(), last, this.#time + gone);
    return Math.floor(this.#time);
  }

  /** An instant of this time as the wall clock will show it. */
  onWall(instant: number, last: number): number {
    return instant - (this.now(last) - this.#clock.now());
  }

  #realTime(): number {
    return this.#clock.elapsed?.() ?? this.#clock.now();
  }
}
