import type { NipSettings } from '../../../config/config.ts';
import type { NostrEvent } from '../letters/nostr-event.ts';
import type { RelayLink, RelayLinkOptions } from './relay-link.ts';
import { Deliveries } from './deliveries.ts';
import { EventLog } from './event-log.ts';
import { DiskGuard } from '../../../disk/disk-guard.ts';
import type { Disk } from '../../../disk/disk.ts';

/** Milliseconds that relays have to answer before their connections are closed. */
const patience = 5_000;
/** Maximum number of unanswered events per relay; the others wait on disk. */
const mostOpen = 500;

/** A relay's answer to an event. */
type RelayVerdicts = Readonly<Record<string, 'taken' | 'not reached' | `refused: ${string}`>>;

type Open = (url: string, options: RelayLinkOptions) => RelayLink;

/**
 * Sends events of the project to its relays, and keeps each answer on disk, so that a later process
 * sends the rest. Connects only when there is something to send, or on `listen`.
 */
export class Relays {
  readonly #disk: Disk;
  readonly #urls: readonly string[];
  readonly #open: Open;
  readonly #links = new Map<string, RelayLink>();
  /** The logs of the events that were sent. */
  readonly #logs = new Map<string, string>();
  #listening: Pick<RelayLinkOptions, 'wants' | 'received'> = {};
  readonly #answers = new DiskGuard();

  constructor(disk: Disk, urls: readonly string[], open: Open) {
    this.#disk = disk;
    this.#urls = urls;
    this.#open = open;
  }

  /** Current problems that will be retried, or refusals. */
  get problems(): readonly string[] {
    const own = this.#answers.problem;
    return [
      ...(own === null ? [] : [own]),
      ...[...this.#links.values()].flatMap(({ problem }) => problem ?? []),
    ];
  }

  /** Connects to all relays, and subscribes to wanted events. Call it first. */
  listen(listening: Pick<RelayLinkOptions, 'wants' | 'received'>): void {
    this.#listening = listening;
    for (const url of this.#urls) this.#link(url);
  }

  /** The wanted events have changed. */
  renew(): void {
    for (const link of this.#links.values()) link.ask();
  }

  /**
   * Keeps events in their log, to be sent: after a crash all of them are kept, or none. Throws
   * `E_DISK`.
   */
  keep(log: string, events: readonly NostrEvent[]): void {
    this.want(log, events);
    new EventLog(this.#disk, log).append(events);
  }

  /**
   * Notes that events of a log must be sent; `again`: also those that a relay has refused. Throws
   * `E_DISK`.
   */
  want(log: string, events: readonly NostrEvent[], again = false): void {
    new Deliveries(this.#disk, log).want(events, this.#urls, again);
  }

  /** Sends the unanswered events of a log. False: there are none. */
  send(log: string): boolean {
    const deliveries = new Deliveries(this.#disk, log);
    const events = new EventLog(this.#disk, log).read();
    const open = this.#urls.map((url) => {
      const unsent = deliveries.unsent(url);
      const wanted = events.filter(({ id }) => unsent.has(id));
      if (wanted.length > 0) this.#publish(log, this.#link(url), wanted);
      return wanted.length;
    });
    return open.some((count) => count > 0);
  }

  /** Closes the connections when everything is answered, or soon after. */
  async close(): Promise<void> {
    const links = [...this.#links.values()];
    await Promise.all(links.map((link) => link.answers(patience)));
    for (const link of links) link.close();
  }

  /** Each relay's answer to an event of a log. */
  verdicts(log: string, { id }: NostrEvent): RelayVerdicts {
    const deliveries = new Deliveries(this.#disk, log);
    const verdict = (answer: string | null) =>
      answer === null ? 'not reached' : answer === '' ? 'taken' : (`refused: ${answer}` as const);
    return Object.fromEntries(this.#urls.map((url) => [url, verdict(deliveries.answer(url, id))]));
  }

  #publish(log: string, link: RelayLink, events: readonly NostrEvent[]): void {
    const fresh = events.filter(({ id }) => !link.isOpen(id)).slice(0, Math.max(0, mostOpen - link.open));
    for (const { id } of fresh) this.#logs.set(id, log);
    link.publish(fresh);
  }

  #link(url: string): RelayLink {
    const answered = (id: string, answer: string) => this.#answered(url, id, answer);
    const link = this.#links.get(url) ?? this.#open(url, { ...this.#listening, answered });
    this.#links.set(url, link);
    return link;
  }

  /** If an answer cannot be noted, the event is sent again later. */
  #answered(url: string, id: string, answer: string): void {
    const log = this.#logs.get(id);
    if (log === undefined) return;
    this.#answers.keepTrying('answers', () => new Deliveries(this.#disk, log).answered(url, id, answer));
  }
}

/** The relays of a project; null: it has none. Loads the connecting code only if there are some. */
export async function relaysOf(disk: Disk, { relays }: Pick<NipSettings, 'relays'>): Promise<Relays | null> {
  if (relays.length === 0) return null;
  const { RelayLink } = await import('./relay-link.ts');
  return new Relays(disk, relays, (url, options) => new RelayLink(url, options));
}

/** The number of events of a log that some relay of the project has not answered. */
export function unsentCount(disk: Disk, { relays }: Pick<NipSettings, 'relays'>, log: string): number {
  const deliveries = new Deliveries(disk, log);
  return new Set(relays.flatMap((relay) => [...deliveries.unsent(relay)])).size;
}
