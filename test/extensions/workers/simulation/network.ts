import type { Asker } from '../../../worlds/simulation/mail/away.ts';
import type { Random } from '../../../worlds/simulation/random.ts';

/** Between two tries to reach a queue, in milliseconds. */
const again = 500;

/** What lies between hosts and what they share: it delays, and it can be cut. */
export class Network {
  readonly #random: Random;
  readonly #cut = new Set<string>();
  /** Nobody reaches the queue, or the shared repository. */
  readonly down = { queue: false, git: false };

  constructor(random: Random) {
    this.#random = random;
  }

  cut(host: string): void {
    this.#cut.add(host);
  }

  restore(host: string): void {
    this.#cut.delete(host);
  }

  reaches(host: string, what: 'queue' | 'git'): boolean {
    return !this.#cut.has(host) && !this.down[what];
  }

  /**
   * Asks the queue. A question takes effect at once, or not at all if who asked dies first; one whose
   * answer is lost is asked again, as clients of Redis do.
   */
  ask<T>(asker: Asker, act: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const answered = (value: T) => {
        if (!this.reaches(asker.host, 'queue')) return asker.later(again, send);
        resolve(value);
      };
      const arrive = () => {
        if (!this.reaches(asker.host, 'queue')) return asker.later(again, send);
        act().then((value) => asker.later(this.#delay(), () => answered(value)), reject);
      };
      const send = () => (this.#random.chance(0.5) ? arrive() : asker.later(this.#delay(), arrive));
      send();
    });
  }

  /** Does something with the shared repository, unless who asked dies first; null: it was not reached. */
  reach<T>(asker: Asker, act: () => T): Promise<T | null> {
    return new Promise((resolve) => {
      asker.later(this.#delay(), () => {
        const value = this.reaches(asker.host, 'git') ? act() : null;
        asker.later(this.#delay(), () => resolve(value));
      });
    });
  }

  #delay(): number {
    return this.#random.below(this.#random.pick([2, 20, 300]));
  }
}
