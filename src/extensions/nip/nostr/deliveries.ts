import type { NostrEvent } from '../letters/nostr-event.ts';
import { readDelivery, type Delivery } from '../letters/read.ts';
import type { Disk } from '../../../disk/disk.ts';
import { eventsFolder } from './event-log.ts';
import { JsonLines } from './json-lines.ts';

const folder = `${eventsFolder}/relays`;
const ending = '.jsonl';

/** The logs with events that were ever meant for a relay. */
export function deliveryLogs(disk: Disk): string[] {
  const files = disk.list(folder) ?? [];
  return files.flatMap((name) => (name.endsWith(ending) ? name.slice(0, -ending.length) : []));
}

/** Which events of a log go to which relay, and each relay's answer. */
export class Deliveries {
  readonly #lines: JsonLines<Delivery>;

  /** `log`: the name of an event log. */
  constructor(disk: Disk, log: string) {
    this.#lines = new JsonLines(disk, `${folder}/${log}${ending}`, readDelivery);
  }

  /** Size in bytes: while it is the same, nothing has changed. */
  get size(): number {
    return this.#lines.size ?? 0;
  }

  /**
   * Notes, durably, that relays must be sent events; those noted before are left out. `again`:
   * notes refused ones once more. Throws `E_DISK`.
   */
  want(events: readonly NostrEvent[], relays: readonly string[], again = false): void {
    const known = this.#answers();
    const lines = relays.flatMap((relay) =>
      events.flatMap(({ id }): Delivery[] => {
        const answer = known.get(relay)?.get(id);
        const isKnown = again ? answer === null || answer === '' : answer !== undefined;
        return isKnown ? [] : [{ relay, event: id, answer: null }];
      }),
    );
    this.#lines.append(lines, { sync: true });
  }

  /** Notes a relay's answer; if the note is lost, the event is sent once more. Throws `E_DISK`. */
  answered(relay: string, event: string, answer: string): void {
    this.#lines.append([{ relay, event, answer }], { sync: false });
  }

  /** The ids of events without an answer of a relay. */
  unsent(relay: string): ReadonlySet<string> {
    const all = [...(this.#answers().get(relay) ?? [])];
    return new Set(all.flatMap(([id, answer]) => (answer === null ? id : [])));
  }

  /** A relay's answer to an event; empty: it has accepted it; null: none. */
  answer(relay: string, event: string): string | null {
    return this.#answers().get(relay)?.get(event) ?? null;
  }

  /** By relay and event; null: not answered. */
  #answers(): Map<string, Map<string, string | null>> {
    const answers = new Map<string, Map<string, string | null>>();
    for (const { relay, event, answer } of this.#lines.read()) {
      const own = answers.get(relay) ?? new Map<string, string | null>();
      own.set(event, answer);
      answers.set(relay, own);
    }
    return answers;
  }
}
