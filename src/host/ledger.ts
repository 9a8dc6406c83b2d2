import { MailroomError } from '../kernel/errors.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Journal } from '../disk/journal.ts';
import type { Snapshot } from '../disk/journal-files.ts';

/** A state machine for a ledger. `Recorded`: what a host records, before it has its time. */
interface Machine<State, Event, Recorded> {
  stateOf(snapshot: Snapshot | null): State;
  /** `n`: the number of the event in the journal. */
  apply(state: State, event: Event, n: number): State;
  /** The event as written. `now`: milliseconds since 1970. */
  stamp(recorded: Recorded, now: number): Event;
  /**
   * The size of a snapshot of the state, in records: at least this many lie between two snapshots.
   */
  sizeOf(state: State): number;
  /** What is recorded after a time of the host in which it did not run. */
  suspended(ms: number): Recorded;
  /** Called after everything recorded has become durable. */
  durable?(): void;
  /** The number of the last event that the trail received; missing: there is no trail. */
  lastInTrail?(): number;
}

/** A shorter interruption changes no deadline, in milliseconds. */
const leastSuspension = 5_000;

/** More rounds of deciding than any state needs: beyond it, deciding is in a cycle. */
const mostRounds = 1_000_000;

/** The minimum number of records between two snapshots, however small the state is. */
const snapshotEvery = 5_000;

/**
 * The state and the journal behind it. Recorded events apply at once; they must have no outside
 * effects until `flush` has returned.
 */
export class Ledger<State extends { readonly now: number }, Event, Recorded> {
  readonly #journal: Journal<Event>;
  readonly #machine: Machine<State, Event, Recorded>;
  readonly #time: HostTime;
  readonly #clock: Clock;
  /** What of the time in which this process did not run is recorded. */
  #suspended: number;
  #state: State;
  #pending: Event[] = [];
  /** How many of them are in the journal, but not durable. */
  #written = 0;
  /** Whether a sync is in progress. */
  #syncing = false;
  /** The number of the last event. */
  #last: number;
  #sinceSnapshot: number;
  /** True when the journal was empty: this is the first start. */
  readonly fresh: boolean;
  /** What was cut off the end of the journal; null: nothing. */
  readonly cut: string | null;

  /** Folds the journal. Throws `E_JOURNAL`, `E_DISK`. */
  constructor(journal: Journal<Event>, clock: Clock, machine: Machine<State, Event, Recorded>) {
    this.#journal = journal;
    this.#machine = machine;
    this.#time = new HostTime(clock);
    this.#clock = clock;
    this.#suspended = clock.suspended?.() ?? 0;
    const { snapshot, records, cut } = journal.read();
    this.cut = cut;
    this.fresh = snapshot === null && records.length === 0;
    this.#state = journal.fold(machine.stateOf(snapshot), records, (state, event, n) =>
      machine.apply(state, event, n),
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

  /** Converts one of its timestamps to the wall clock's. */
  onWall(timestamp: number): number {
    return this.#time.onWall(timestamp, this.#state.now);
  }

  /**
   * Call it before deadlines are looked at: those that passed meanwhile are put off. True: there
   * was a suspension.
   */
  recordSuspension(): boolean {
    const all = this.#clock.suspended?.() ?? 0;
    const ms = Math.floor(all - this.#suspended);
    if (ms < leastSuspension) return false;
    this.#suspended = all;
    this.record([this.#machine.suspended(ms)]);
    return true;
  }

  /** Throws `E_INTERNAL` while a sync is in progress. */
  record(facts: readonly Recorded[]): void {
    if (this.#syncing) throw new MailroomError('E_INTERNAL', 'recorded while a sync is under way');
    for (const fact of facts) {
      const event = this.#machine.stamp(fact, this.now());
      this.#last += 1;
      this.#state = this.#machine.apply(this.#state, event, this.#last);
      this.#pending.push(event);
    }
  }

  /** Records what `decide` returns, round by round, until that is nothing. Throws `E_INTERNAL`. */
  recordDecided(decide: () => readonly Recorded[]): void {
    for (let round = 0; round < mostRounds; round += 1) {
      const facts = decide();
      if (facts.length === 0) return;
      this.record(facts);
    }
    throw new MailroomError('E_INTERNAL', 'deciding does not come to an end');
  }

  /** Whether recorded events are not durable yet. */
  get dirty(): boolean {
    return this.#pending.length > 0;
  }

  /**
   * Writes everything recorded to the system and returns what is not durable: it survives the end
   * of this process.
   */
  write(): readonly Event[] {
    const events = this.#pending;
    if (events.length === this.#written) return events;
    const last = this.#journal.append(this.#written === 0 ? events : events.slice(this.#written));
    if (last !== this.#last)
      throw new MailroomError('E_INTERNAL', `the journal is at ${String(last)}, we at ${String(this.#last)}`);
    this.#written = events.length;
    return events;
  }

  /**
   * Makes everything recorded durable, and returns it. Its effects may show now. Throws `E_DISK`;
   * then the host must stop.
   */
  flush(): readonly Event[] {
    const events = this.write();
    if (events.length === 0) return events;
    this.#journal.sync();
    this.#settle();
    this.#machine.durable?.();
    return events;
  }

  /**
   * Begins to make everything recorded durable, beside the work of this process; null: it is. Until
   * the sync has ended nothing may be recorded: what is recorded shows with what `flush` returns.
   * Rejects with `E_DISK`; then the host must stop.
   */
  sync(): Promise<void> | null {
    return this.write().length === 0 ? null : this.#synced();
  }

  async #synced(): Promise<void> {
    this.#syncing = true;
    try {
      await this.#journal.syncBeside();
    } finally {
      this.#syncing = false;
    }
  }

  /** Records a fact without a sync, since repeating it is harmless: a crash may lose it. */
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
   * Whether enough was recorded since the last snapshot to make the next start slow. A large state
   * is written less often: the cost of snapshots is then a fraction of the cost of recording.
   */
  get snapshotDue(): boolean {
    return !this.dirty && this.#sinceSnapshot >= Math.max(snapshotEvery, this.#machine.sizeOf(this.#state));
  }

  /**
   * Replaces old records by the state; does nothing while events are not durable, or not in the
   * trail. `trailAt`: the last event that is in the trail; null: there is no trail.
   */
  snapshot(trailAt: number | null): void {
    if (this.dirty || (trailAt !== null && trailAt < (this.#machine.lastInTrail?.() ?? 0))) return;
    this.#journal.snapshot(this.#last, this.#state, this.#last);
    this.#sinceSnapshot = 0;
  }
}

/**
 * The time of a host: the wall clock, but never before the last event, and never stopped. When the
 * wall clock is set back this time continues, so that pauses, deadlines and retries still come.
 */
class HostTime {
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
