import type { NostrEvent } from '../letters/nostr-event.ts';
import { readDelivery, type Delivery } from '../letters/letters.ts';
import type { Disk } from '../disk/disk.ts';
import { eventsFolder } from './event-log.ts';
import { JsonLines } from './json-lines.ts';

const folder = `${eventsFolder}/relays`;
const ending = '.jsonl';

/** The logs with events that were ever to be sent to a relay. */
export function deliveryLogs(disk: Disk): string[] {
  const files = disk.list(folder) ?? [];
  return files.flatMap((name) => (name.endsWith(ending) ? name.slice(0, -ending.length) : []));
}

/** Which events of a log are to be sent to which relay, and what each relay has answered. */
export class Deliveries {
  readonly #lines: JsonLines<Delivery>;

  /** `log`: the name of an event log. */
  constructor(disk: Disk, log: string) {
    this.#lines = new JsonLines(disk, `${folder}/${log}${ending}`, readDelivery);
  }

  /** In bytes: as long as it is the same, nothing here has changed. */
  get size(): number {
    return this.#lines.size ?? 0;
  }

  /**
   * Notes, durably, that relays are to be sent events. One that was noted before is not noted again; `again`: unless the
   * relay has refused it. Throws `E_DISK`.
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

  /** Notes what a relay has answered; a note that is lost has the event sent once more. Throws `E_DISK`. */
  answered(relay: string, event: string, answer: string): void {
    this.#lines.append([{ relay, event, answer }], { sync: false });
  }

  /** The ids of the events that a relay has not answered yet. */
  unsent(relay: string): ReadonlySet<string> {
    const all = [...(this.#answers().get(relay) ?? [])];
    return new Set(all.flatMap(([id, answer]) => (answer === null ? id : [])));
  }

  /** What a relay has answered to an event: empty: it has taken it; null: nothing. */
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
