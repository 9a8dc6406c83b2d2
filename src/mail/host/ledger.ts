import type { Journal } from '../../disk/journal.ts';
import { apply } from '../machine/apply.ts';
import { stamp, type Fact, type MailEvent } from '../machine/event.ts';
import { stateOf, type MailState, type Turn } from '../machine/state.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { formatMessage } from '../format/read-message.ts';
import { HostTime } from '../../host/host-time.ts';
import type { HostPorts } from './ports.ts';
import { trailEntry } from '../trail/entries.ts';
import type { Trail, TrailEntry } from '../../git/trail.ts';

/** Records between two snapshots, at the least; with more mail in the state than that, as many as there is mail. */
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
  readonly #journal: Journal<MailEvent>;
  readonly #trail: Trail;
  readonly #time: HostTime;
  readonly #newId: () => string;
  #state: MailState;
  #pending: MailEvent[] = [];
  /** What the trail is told once it is durable. */
  readonly #entries: TrailEntry[] = [];
  #sinceSnapshot = 0;
  /** The number of the last event that the trail was told of. */
  #trailLast = 0;
  #last: number;
  /** True when the journal held nothing: this is the first start. */
  readonly fresh: boolean;
  /** What was cut off the end of the journal, if anything. */
  readonly cut: string | null;

  constructor(ports: Pick<HostPorts, 'journal' | 'trail' | 'clock' | 'newId' | 'trailAt'>) {
    this.#journal = ports.journal;
    this.#trail = ports.trail;
    this.#time = new HostTime(ports.clock);
    this.#newId = ports.newId;
    const { snapshot, records, cut } = this.#journal.read();
    this.cut = cut;
    this.fresh = snapshot === null && records.length === 0;
    this.#last = snapshot?.n ?? 0;
    this.#state = stateOf(snapshot);
    for (const { n, event } of records) {
      this.#last = n;
      this.#apply(event, ports.trailAt === null || n <= ports.trailAt);
    }
    this.#sinceSnapshot = records.length;
    this.#tellTrail();
  }

  get state(): MailState {
    return this.#state;
  }

  /** The mail's time; see `HostTime`. */
  now(): number {
    return this.#time.now(this.#state.now);
  }

  /** An instant of it as the wall clock will show it. */
  onWall(instant: number): number {
    return this.#time.onWall(instant, this.#state.now);
  }

  /** How many events moved something to `failed`. */
  failures = 0;

  record(facts: readonly Fact[]): void {
    for (const fact of facts) {
      const event = stamp(fact, this.now(), this.#newId);
      this.#last += 1;
      this.#apply(event, false);
      this.#pending.push(event);
      if (failing.has(event.type)) this.failures += 1;
    }
  }

  /** Folds one event; the trail hears of it, unless it has it already. */
  #apply(event: MailEvent, committed: boolean): void {
    const turn = 'turn' in event ? (this.#state.turns.get(event.turn) ?? null) : null;
    this.#state = apply(this.#state, event);
    const entry = committed ? null : this.#trailEntry(event, turn);
    if (entry) this.#entries.push(entry);
  }

  #tellTrail(): void {
    for (const entry of this.#entries.splice(0)) {
      this.#trail.record(entry);
      this.#trailLast = entry.seq;
    }
  }

  #trailEntry(event: MailEvent, turn: Turn | null): TrailEntry | null {
    const { pendingProjections, events } = this.#state;
    const projections = () => [...pendingProjections.values()].filter(({ since }) => since === events);
    const mail = (id: string) => this.#state.mail.get(id)?.message;
    return trailEntry(this.#last, event, projections, turn, mail, formatMessage);
  }

  /** Makes everything recorded durable, and returns it. Its effects may show now. Throws `E_DISK`; then the host must stop. */
  flush(): readonly MailEvent[] {
    const events = this.#pending;
    if (events.length === 0) return events;
    const last = this.#journal.append(this.#pending);
    if (last !== this.#last)
      throw new MailroomError('E_INTERNAL', `the journal is at ${String(last)}, we at ${String(this.#last)}`);
    this.#journal.sync();
    this.#sinceSnapshot += this.#pending.length;
    this.#pending = [];
    this.#tellTrail();
    return events;
  }

  /** Records that the folders show everything. Not worth a sync: projecting twice is harmless. */
  projected(): void {
    const fact: Fact = { type: 'projected', through: this.#state.events };
    this.record([fact]);
    this.#journal.append(this.#pending);
    this.#sinceSnapshot += this.#pending.length;
    this.#pending = [];
  }

  /**
   * Whether so much was recorded since the last snapshot that the next start would be slow. A large state is written less
   * often: what snapshots cost is then a share of what recording costs, whatever waits.
   */
  get snapshotDue(): boolean {
    return this.#sinceSnapshot >= Math.max(snapshotEvery, this.#state.mail.size);
  }

  /** Replaces old records by the state, once the trail has all of them. `trailAt`: null where there is no trail. */
  snapshot(trailAt: number | null): void {
    if (this.#pending.length > 0 || (trailAt !== null && trailAt < this.#trailLast)) return;
    this.#journal.snapshot(this.#last, this.#state, this.#last);
    this.#sinceSnapshot = 0;
  }
}
