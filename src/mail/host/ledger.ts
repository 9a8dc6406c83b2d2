import { apply } from '../machine/apply.ts';
import { stamp, type Fact, type MailEvent, type UsedByTurn } from '../machine/event.ts';
import { stateOf, type MailState, type Projection } from '../machine/state.ts';
import { formatMessage } from '../format/read-message.ts';
import { Ledger } from '../../host/ledger.ts';
import type { MailPorts } from './ports.ts';
import { trailEntry } from '../trail/entries.ts';
import type { Trail, TrailEntry } from '../../git/trail.ts';

export type MailLedger = Ledger<MailState, MailEvent, Fact>;

/** Passes durable events on to the trail. */
class TrailFeed {
  readonly #trail: Trail;
  /** Entries for the trail that are not durable yet. */
  readonly #entries: TrailEntry[] = [];
  /** The number of the last event that the trail has. */
  #committed: number;
  /** The number of the last event passed on. */
  last = 0;

  constructor(trail: Trail, committed: number) {
    this.#trail = trail;
    this.#committed = committed;
  }

  /** Folds an event, and creates its trail entry. */
  apply(state: MailState, event: MailEvent, n: number): MailState {
    const turn = 'turn' in event ? (state.turns.get(event.turn) ?? null) : null;
    const next = apply(state, event);
    if (n <= this.#committed) return next;
    const projections = () => {
      const found: Projection[] = [];
      // Without a list of all: a burst of mail has many for each of its events.
      for (const each of next.pendingProjections.values()) if (each.since === next.events) found.push(each);
      return found;
    };
    const mail = (id: string) => next.mail.get(id)?.message;
    const entry = trailEntry(n, event, projections, turn, mail, formatMessage);
    if (entry) this.#entries.push(entry);
    return next;
  }

  /**
   * Ends the replay: later events are new. Passes on the entries that an earlier host could not.
   */
  begin(): void {
    this.#committed = 0;
    this.handOver();
  }

  handOver(): void {
    for (const entry of this.#entries.splice(0)) {
      this.#trail.record(entry);
      this.last = entry.seq;
    }
  }
}

/**
 * The ledger of the mail. Passes each durable event to `trail`. `used`: what agents have reported
 * that an event ends. Throws `E_JOURNAL`, `E_DISK`.
 */
export function openMailLedger(
  ports: Pick<MailPorts, 'journal' | 'trail' | 'clock' | 'newId' | 'trailAt'>,
  used: (fact: Fact, now: number) => UsedByTurn = () => [],
): MailLedger {
  const trail = new TrailFeed(ports.trail, ports.trailAt ?? Infinity);
  const ledger: MailLedger = new Ledger(ports.journal, ports.clock, {
    stateOf,
    apply: (state, event, n) => trail.apply(state, event, n),
    stamp: (fact, now) => {
      const ended = used(fact, now);
      return { ...stamp(fact, now, ports.newId), ...(ended.length > 0 && { used: ended }) };
    },
    suspended: (ms) => ({ type: 'suspended', ms }),
    sizeOf: ({ mail }) => mail.size,
    durable: () => trail.handOver(),
    lastInTrail: () => trail.last,
  });
  trail.begin();
  return ledger;
}
