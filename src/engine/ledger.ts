import { apply } from '../core/mail/apply.ts';
import { stamp, type Fact, type MailEvent } from '../core/mail/event.ts';
import { emptyState, type MailState, type Turn } from '../core/mail/state.ts';
import type { Clock, Journal, Trail, TrailEntry } from '../core/ports.ts';
import { MailroomError } from '../core/errors.ts';
import { formatMessage } from '../spec/message.ts';
import { trailEntry } from './trail/entries.ts';

/** Records between two snapshots. */
const snapshotEvery = 5_000;

const failing: ReadonlySet<MailEvent['type']> = new Set([
  'refused',
  'abandoned',
  'failed-back',
  'thread-failed',
]);

/**
 * The state and the journal that makes it true. What is recorded is applied at once; nothing outside may follow from it
 * until `flush` has returned.
 */
export class Ledger {
  readonly #journal: Journal;
  readonly #trail: Trail;
  readonly #clock: Clock;
  readonly #newId: () => string;
  #state: MailState;
  #pending: MailEvent[] = [];
  /** What the trail is told once it is durable. */
  readonly #entries: TrailEntry[] = [];
  #sinceSnapshot = 0;
  #last: number;
  /** True when the journal held nothing: this is the first start. */
  readonly fresh: boolean;
  /** What was cut off the end of the journal, if anything. */
  readonly cut: string | null;

  constructor(ports: { journal: Journal; trail: Trail; clock: Clock; newId: () => string }) {
    this.#journal = ports.journal;
    this.#trail = ports.trail;
    this.#clock = ports.clock;
    this.#newId = ports.newId;
    const { snapshot, records, cut } = this.#journal.read();
    this.cut = cut;
    this.fresh = snapshot === null && records.length === 0;
    this.#last = snapshot?.n ?? 0;
    this.#state = (snapshot?.state as MailState | undefined) ?? emptyState();
    for (const { n, event } of records) {
      this.#state = apply(this.#state, event);
      this.#last = n;
    }
    this.#sinceSnapshot = records.length;
  }

  get state(): MailState {
    return this.#state;
  }

  /** The wall clock, but never before the last event. */
  now(): number {
    return Math.max(this.#clock.now(), this.#state.now);
  }

  /** How many events moved something to `failed`. */
  failures = 0;

  record(facts: readonly Fact[]): void {
    for (const fact of facts) {
      const event = stamp(fact, this.now(), this.#newId);
      const turn = 'turn' in event ? (this.#state.turns.get(event.turn) ?? null) : null;
      this.#state = apply(this.#state, event);
      this.#pending.push(event);
      if (failing.has(event.type)) this.failures += 1;
      this.#last += 1;
      const entry = this.#trailEntry(event, turn);
      if (entry) this.#entries.push(entry);
    }
  }

  #trailEntry(event: MailEvent, turn: Turn | null): TrailEntry | null {
    const pictures = [...this.#state.undrawn.values()].filter(({ since }) => since === this.#state.events);
    const mail = (id: string) => this.#state.mail.get(id)?.message;
    return trailEntry(this.#last, event, pictures, turn, mail, formatMessage);
  }

  /** Makes everything recorded durable. Afterwards its effects may show. Throws `E_DISK`; then the host must stop. */
  flush(): void {
    if (this.#pending.length === 0) return;
    const last = this.#journal.append(this.#pending);
    if (last !== this.#last)
      throw new MailroomError('E_INTERNAL', `the journal is at ${String(last)}, we at ${String(this.#last)}`);
    this.#journal.sync();
    this.#sinceSnapshot += this.#pending.length;
    this.#pending = [];
    for (const entry of this.#entries.splice(0)) this.#trail.record(entry);
  }

  /** Records that the folders show everything. Not worth a sync: drawing twice is harmless. */
  drawn(): void {
    const fact: Fact = { type: 'drawn', through: this.#state.events };
    this.record([fact]);
    this.#journal.append(this.#pending);
    this.#sinceSnapshot += this.#pending.length;
    this.#pending = [];
  }

  /** Replaces old records by the state, now and then. `trailAt`: the trail still needs the records after it. */
  snapshotIfDue(trailAt: number | null): void {
    if (this.#sinceSnapshot < snapshotEvery || this.#pending.length > 0) return;
    this.#journal.snapshot(this.#last, this.#state, trailAt ?? this.#last);
    this.#sinceSnapshot = 0;
  }
}
