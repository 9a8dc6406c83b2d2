/** A gap between two looks that only a stop or a suspension explains, in milliseconds. */
const gapMs = 5_000;
/** How long workers that slept with their controller have to renew their leases. */
const graceMs = 5_000;

/**
 * Whether this host has just woken from a stop or a suspension. Leases that ran out meanwhile say
 * nothing: their workers may have slept with it. Looked at every second or so.
 */
export class Waking {
  readonly #now: () => number;
  #last: number;
  #until = 0;

  /** `now`: milliseconds since 1970, which a suspension does not hold up. */
  constructor(now: () => number = Date.now) {
    this.#now = now;
    this.#last = now();
  }

  isRecent(): boolean {
    const now = this.#now();
    if (now - this.#last > gapMs) this.#until = now + graceMs;
    this.#last = now;
    return now < this.#until && now >= this.#until - graceMs;
  }
}
