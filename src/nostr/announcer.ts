import type { DiskGuard } from '../disk/disk-guard.ts';
import type { NostrEvent } from '../letters/nostr-event.ts';
import { inOrder } from './order.ts';
import { unpublished, type Execution } from './execution-events.ts';
import type { RunEvent } from '../workflow/machine/event.ts';
import type { Rules } from '../workflow/machine/rules.ts';
import type { RunState } from '../workflow/machine/state.ts';
import type { Signer } from './signer.ts';

/** The destination of events. A refused disk operation throws `E_DISK`. */
interface EventSink {
  append(events: readonly NostrEvent[]): void;
}

/** What is published, by whom and where to. `published`: the events of an earlier host. */
export interface Announced {
  readonly sink: EventSink;
  readonly signer: Signer;
  readonly execution: Execution;
  readonly published: readonly NostrEvent[];
}

/**
 * Publishes the status of a run in signed events. Level-triggered: it compares the published status
 * with the state, and after a crash publishes the rest when the run continues.
 */
export class Announcer {
  readonly #sink: EventSink;
  readonly #signer: Signer;
  readonly #execution: Execution;
  readonly #published: NostrEvent[];
  readonly #rules: Rules;
  readonly #disk: DiskGuard;
  /** At first: an earlier host may have left something unpublished. */
  #due: number | null = 0;

  constructor({ sink, signer, execution, published }: Announced, rules: Rules, disk: DiskGuard) {
    this.#sink = sink;
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
      this.#sink.append(events);
      this.#published.push(...events);
    });
  }
}
