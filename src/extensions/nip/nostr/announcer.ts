import type { DiskGuard } from '../../../disk/disk-guard.ts';
import { type NostrEvent, kinds, tagOf, type EventTemplate } from '../letters/nostr-event.ts';
import { unpublished, type Execution } from './execution-events.ts';
import type { RunEvent } from '../../../workflow/machine/event.ts';
import type { Rules } from '../../../workflow/machine/rules.ts';
import type { RunState } from '../../../workflow/machine/state.ts';
import type { Signer } from './signer.ts';

/** What is published, by whom and where to. `published`: the events of an earlier host. */
export interface Announced {
  /** A refused disk operation throws `E_DISK`. */
  readonly append: (events: readonly NostrEvent[]) => void;
  readonly signer: Signer;
  readonly execution: Execution;
  readonly published: readonly NostrEvent[];
}

/**
 * Publishes the status of a run in signed events. Level-triggered: it compares the published status
 * with the state, and after a crash publishes the rest when the run continues.
 */
export class Announcer {
  readonly #append: Announced['append'];
  readonly #signer: Signer;
  readonly #execution: Execution;
  readonly #published: NostrEvent[];
  readonly #rules: Rules;
  readonly #disk: DiskGuard;
  /** At first: an earlier host may have left something unpublished. */
  #due: number | null = 0;

  constructor({ append, signer, execution, published }: Announced, rules: Rules, disk: DiskGuard) {
    this.#append = append;
    this.#signer = signer;
    this.#execution = execution;
    this.#published = [...published];
    this.#rules = rules;
    this.#disk = disk;
  }

  due(): number | null {
    return this.#due;
  }

  /** Call it only with durable state. `now`: milliseconds since 1970. */
  observe(state: RunState, events: readonly RunEvent[], now: number): void {
    const isDue = this.#due !== null && this.#due <= now;
    if (events.length > 0 || isDue) this.#publish(state, now);
  }

  finish(state: RunState, now: number): void {
    this.observe(state, [], now);
  }

  #publish(state: RunState, now: number): void {
    this.#due = null;
    if (state.given === null) return;
    const fresh = unpublished(state, this.#rules, this.#execution, this.#published);
    // The clock of the request's author may differ from this one.
    const own = this.#published.filter(({ pubkey }) => pubkey === this.#signer.pubkey);
    const { events: ordered, due } = inOrder(fresh, own, now);
    this.#due = due;
    const events = ordered.map((each) => this.#signer.sign(each));
    this.#disk.keepTrying('events', () => {
      this.#append(events);
      this.#published.push(...events);
    });
  }
}

/**
 * Seconds that an event may be ahead of the clock to be later than the previous one. Events after a
 * `running` status have room behind it: results, and then the end of the run, at most 5 s ahead.
 */
const mostAhead = { running: 3, result: 4 } as const;

/** The events of a run that can be sent now. */
interface Ordered {
  readonly events: readonly EventTemplate[];
  /**
   * When a deferred `running` status can be sent, in milliseconds since 1970; null: none was
   * deferred.
   */
  readonly due: number | null;
}

/**
 * Gives events times with a visible order: each a second later than the previous one, and than all
 * `sent` ones. An event that would be too far ahead of the clock (`now`, in milliseconds since
 * 1970) is deferred if it is a `running` status, and shares its second if it is a result. Statuses
 * are always later than everything before them.
 */
function inOrder(events: readonly EventTemplate[], sent: readonly EventTemplate[], now: number): Ordered {
  const clock = Math.floor(now / 1_000);
  const ordered: EventTemplate[] = [];
  let last = sent.reduce((latest, { created_at: at }) => Math.max(latest, at), 0);
  let due: number | null = null;
  for (const event of events) {
    const next = Math.max(event.created_at, last + 1);
    if (isRunning(event) && next > clock + mostAhead.running) {
      due = (next - mostAhead.running) * 1_000;
      continue;
    }
    const shared = Math.max(event.created_at, last, clock + mostAhead.result);
    last = event.kind === kinds.result ? Math.min(next, shared) : next;
    ordered.push({ ...event, created_at: last });
  }
  return { events: ordered, due };
}

function isRunning(event: EventTemplate): boolean {
  return event.kind === kinds.status && tagOf(event, 'status') === 'running';
}
