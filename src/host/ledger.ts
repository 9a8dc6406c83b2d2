import { MailroomError } from '../kernel/errors.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Journal } from '../disk/journal.ts';
import type { Snapshot } from '../disk/journal-files.ts';
import { HostTime } from './host-time.ts';

/** A state machine as its ledger needs it. `Recorded`: what a host records, before it has its time. */
export interface Machine<State, Event, Recorded> {
  stateOf(snapshot: Snapshot | null): State;
  /** `n`: the number of the event in the journal. */
  apply(state: State, event: Event, n: number): State;
  /** The event as it is written. `now`: milliseconds since 1970. */
  stamp(recorded: Recorded, now: number): Event;
  /** How much a snapshot of the state writes, in records: so many come between two snapshots at the least. */
  sizeOf(state: State): number;
  /** Called after everything recorded has become durable. */
  durable?(): void;
}

/** Records between two snapshots, however small the state is. */
const snapshotEvery = 5_000;

/**
 * The state and the journal that makes it true. What is recorded is applied at once; nothing outside may follow from it
 * until `flush` has returned.
 */
export class Ledger<State extends { readonly now: number }, Event, Recorded> {
  readonly #journal: Journal<Event>;
  readonly #machine: Machine<State, Event, Recorded>;
  readonly #time: HostTime;
  #state: State;
  #pending: Event[] = [];
  /** How many of them are in the journal by now, but not durable. */
  #written = 0;
  /** The number of the last event. */
  #last: number;
  #sinceSnapshot: number;
  /** True when the journal held nothing: this is the first start. */
  readonly fresh: boolean;
  /** What was cut off the end of the journal, if anything. */
  readonly cut: string | null;

  /** Folds the journal. Throws `E_JOURNAL`, `E_DISK`. */
  constructor(journal: Journal<Event>, clock: Clock, machine: Machine<State, Event, Recorded>) {
    this.#journal = journal;
    this.#machine = machine;
    this.#time = new HostTime(clock);
    const { snapshot, records, cut } = journal.read();
    this.cut = cut;
    this.fresh = snapshot === null && records.length === 0;
    this.#state = records.reduce(
      (state, { n, event }) => machine.apply(state, event, n),
      machine.stateOf(snapshot),
    );
    this.#last = records.at(-1)?.n ?? snapshot?.n ?? 0;
    this.#sinceSnapshot = records.length;
  }

  get state(): State {
    return this.#state;
  }

  /** The host's time; see `HostTime`. */
  now(): number {
    return this.#time.now(this.#state.now);
  }

  /** A timestamp of it as the wall clock will show it. */
  onWall(timestamp: number): number {
    return this.#time.onWall(timestamp, this.#state.now);
  }

  record(facts: readonly Recorded[]): void {
    for (const fact of facts) {
      const event = this.#machine.stamp(fact, this.now());
      this.#last += 1;
      this.#state = this.#machine.apply(this.#state, event, this.#last);
      this.#pending.push(event);
    }
  }

  /** Whether something was recorded that is not durable yet. */
  get dirty(): boolean {
    return this.#pending.length > 0;
  }

  /** Hands everything recorded to the system and returns what is not durable: the end of this process loses none of it. */
  write(): readonly Event[] {
    const events = this.#pending;
    if (events.length === this.#written) return events;
    const last = this.#journal.append(this.#written === 0 ? events : events.slice(this.#written));
    if (last !== this.#last)
      throw new MailroomError('E_INTERNAL', `the journal is at ${String(last)}, we at ${String(this.#last)}`);
    this.#written = events.length;
    return events;
  }

  /** Makes everything recorded durable, and returns it. Its effects may show now. Throws `E_DISK`; then the host must stop. */
  flush(): readonly Event[] {
    const events = this.write();
    if (events.length === 0) return events;
    this.#journal.sync();
    this.#settle();
    this.#machine.durable?.();
    return events;
  }

  /** Records what is not worth a sync, since doing it twice is harmless: a crash may lose it. */
  recordLazily(fact: Recorded): void {
    const isAlone = !this.dirty;
    this.record([fact]);
    if (!isAlone) return;
    this.write();
    this.#settle();
  }

  #settle(): void {
    this.#sinceSnapshot += this.#pending.length;
    this.#pending = [];
    this.#written = 0;
  }

  /**
   * Whether so much was recorded since the last snapshot that the next start would be slow. A large state is written less
   * often: what snapshots cost is then a share of what recording costs.
   */
  get snapshotDue(): boolean {
    return !this.dirty && this.#sinceSnapshot >= Math.max(snapshotEvery, this.#machine.sizeOf(this.#state));
  }

  /** Replaces old records by the state; not while something is not durable. */
  snapshot(): void {
    if (this.dirty) return;
    this.#journal.snapshot(this.#last, this.#state, this.#last);
    this.#sinceSnapshot = 0;
  }
}
