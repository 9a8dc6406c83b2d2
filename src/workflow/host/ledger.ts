import type { Journal } from '../../disk/journal.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { apply } from '../machine/apply.ts';
import type { Fact, Happening, RunEvent } from '../machine/event.ts';
import { runStateOf, type RunState } from '../machine/state.ts';
import { HostTime } from '../../host/host-time.ts';
import type { Clock } from '../../kernel/clock.ts';

/** Records between two snapshots, at the least; and for each step of the state, which a snapshot writes. */
const snapshotEvery = 5_000;
const recordsPerStep = 2;

type Recorded = Fact | Happening;

/**
 * The state of a run and the journal that makes it true. What is recorded is applied at once; nothing outside may follow
 * from it until `flush` has returned.
 */
export class RunLedger {
  readonly #journal: Journal<RunEvent>;
  readonly #fit: (event: Recorded) => Recorded;
  #state: RunState;
  #pending: RunEvent[] = [];
  /** How many of them are in the journal by now, but not durable. */
  #written = 0;
  #last: number;
  readonly #time: HostTime;
  #sinceSnapshot: number;
  /** What was cut off the end of the journal, if anything. */
  readonly cut: string | null;

  /** `fit`: an event as it may be written. */
  constructor(
    journal: Journal<RunEvent>,
    clock: Clock,
    fit: (event: Recorded) => Recorded = (event) => event,
  ) {
    this.#journal = journal;
    this.#fit = fit;
    this.#time = new HostTime(clock);
    const { snapshot, records, cut } = journal.read();
    this.cut = cut;
    const start = runStateOf(snapshot);
    this.#state = records.reduce((state, { event }) => apply(state, event), start);
    this.#last = records.at(-1)?.n ?? snapshot?.n ?? 0;
    this.#sinceSnapshot = records.length;
  }

  get state(): RunState {
    return this.#state;
  }

  /** The run's time; see `HostTime`. */
  now(): number {
    return this.#time.now(this.#state.now);
  }

  /** An instant of it as the wall clock will show it. */
  onWall(instant: number): number {
    return this.#time.onWall(instant, this.#state.now);
  }

  record(facts: readonly Recorded[]): void {
    for (const fact of facts) {
      const event: RunEvent = { ...this.#fit(fact), at: this.now() };
      this.#last += 1;
      this.#state = apply(this.#state, event);
      this.#pending.push(event);
    }
  }

  /** Whether something was recorded that is not durable yet. */
  get dirty(): boolean {
    return this.#pending.length > 0;
  }

  /** Hands everything recorded to the system and returns what is not durable: the end of this process loses none of it. */
  write(): readonly RunEvent[] {
    const events = this.#pending;
    if (events.length === this.#written) return events;
    const last = this.#journal.append(events.slice(this.#written));
    if (last !== this.#last)
      throw new MailroomError('E_INTERNAL', `the journal is at ${String(last)}, we at ${String(this.#last)}`);
    this.#written = events.length;
    return events;
  }

  /** Makes everything recorded durable and returns it. Throws `E_DISK`; then the host must stop. */
  flush(): readonly RunEvent[] {
    const events = this.write();
    if (events.length === 0) return events;
    this.#journal.sync();
    this.#sinceSnapshot += events.length;
    this.#pending = [];
    this.#written = 0;
    return events;
  }

  /**
   * Whether so much was recorded since the last snapshot that the next start would be slow. A large state is written less
   * often: the snapshots of a run then take a share of what its records take, however long it is.
   */
  get snapshotDue(): boolean {
    const least = Math.max(snapshotEvery, recordsPerStep * this.#state.steps.size);
    return this.#sinceSnapshot >= least && !this.dirty;
  }

  snapshot(): void {
    this.#journal.snapshot(this.#last, this.#state, this.#last);
    this.#sinceSnapshot = 0;
  }
}
