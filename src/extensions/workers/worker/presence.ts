import { randomUUID } from 'node:crypto';
import { readWorkerOrder, type WorkerCard, type WorkerOrder } from '../letters/worker.ts';
import type { WorkerNotes } from '../queue/channel.ts';
import type { Credentials } from '../queue/credentials.ts';
import { shortlyMs, sign, verify } from '../queue/signed.ts';

/** Between two announcements of a worker that does the same, in milliseconds. */
const announceEvery = 1_000;

/** What changes while a worker runs. */
type Doing = Pick<WorkerCard, 'running' | 'state' | 'parked'>;

interface PresenceOptions {
  readonly credentials: Credentials;
  readonly about: Omit<WorkerCard, keyof Doing | 'lastSeen'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds since some time, on a clock that is never set. */
  readonly elapsed: () => number;
}

/** Says in the queue what a worker does, and learns what it is ordered to do. */
export class Presence {
  readonly #notes: WorkerNotes;
  readonly #options: PresenceOptions;
  #said = '';
  #at = -Infinity;
  #isTalking = false;
  /** When the last order was given: each counts once, and no earlier one after it. */
  #obeyed = 0;

  constructor(notes: WorkerNotes, options: PresenceOptions) {
    this.#notes = notes;
    this.#options = options;
  }

  /** Announces what is new, or that nothing is; `obey` gets an order that is new. Never rejects. */
  talk(doing: Doing, obey: (order: WorkerOrder) => void): void {
    const said = JSON.stringify(doing);
    if (this.#isTalking || (said === this.#said && this.#options.elapsed() - this.#at < announceEvery))
      return;
    this.#isTalking = true;
    void this.#talk(doing, obey)
      .then(() => this.#talked(said))
      .catch(() => {})
      .finally(() => (this.#isTalking = false));
  }

  #talked(said: string): void {
    this.#said = said;
    this.#at = this.#options.elapsed();
  }

  async #talk(doing: Doing, obey: (order: WorkerOrder) => void): Promise<void> {
    const { credentials, about, now } = this.#options;
    const { id } = about;
    const card: WorkerCard = { ...about, ...doing, lastSeen: now() };
    await this.#notes.announce(id, sign(credentials, aboutWorker('worker', id, now()), { ...card }));
    const expected = { kind: 'order', job: id, nonce: null, now: now() } as const;
    const given = await this.#notes.order(id);
    const signed = given === null ? null : verify(credentials, given, expected);
    const order = signed?.ok === true ? readWorkerOrder(signed.body) : null;
    if (order?.ok !== true || order.value.at <= this.#obeyed) return;
    this.#obeyed = order.value.at;
    obey(order.value.do);
  }

  /** Removes what was said. */
  leave(): Promise<void> {
    return this.#notes.leave(this.#options.about.id);
  }
}

/** What a signature about a worker names. */
export function aboutWorker(kind: 'worker' | 'order', id: string, now: number) {
  return { kind, job: id, nonce: randomUUID(), expires: now + shortlyMs } as const;
}
