import type { NipSettings } from '../../core/config.ts';
import type { NostrEvent } from '../../core/nip/events.ts';
import type { RelayLink } from '../../server/relay-link.ts';

/** Milliseconds that relays have to answer before their connections are closed. */
const patience = 5_000;

/** What a relay says to an event. */
export type RelayVerdicts = Readonly<Record<string, 'taken' | 'not reached' | `refused: ${string}`>>;

/** Sends events to the relays of the project. Nothing is connected to before there is something to send. */
export class Relays {
  readonly #urls: readonly string[];
  readonly #open: (url: string) => RelayLink;
  #links: readonly RelayLink[] = [];

  constructor(urls: readonly string[], open: (url: string) => RelayLink) {
    this.#urls = urls;
    this.#open = open;
  }

  /** What is wrong with them now and will be tried again, or what they refuse. */
  get problems(): readonly string[] {
    return this.#links.flatMap(({ problem }) => problem ?? []);
  }

  publish(events: readonly NostrEvent[]): void {
    if (this.#links.length === 0) this.#links = this.#urls.map(this.#open);
    for (const link of this.#links) link.publish(events);
  }

  /** Closes the connections when all was answered, or not much later. */
  async close(): Promise<void> {
    await Promise.all(this.#links.map((link) => link.answers(patience)));
    for (const link of this.#links) link.close();
  }

  /** What each relay says to an event that it was sent. */
  verdicts({ id }: NostrEvent): RelayVerdicts {
    const verdict = (reason: string | null) =>
      reason === null ? 'not reached' : reason === '' ? 'taken' : (`refused: ${reason}` as const);
    return Object.fromEntries(this.#links.map((link) => [link.url, verdict(link.answerTo(id))]));
  }
}

/** The relays of a project; null: it has none. What connects to them is loaded only where there are some. */
export async function relaysOf({ relays }: Pick<NipSettings, 'relays'>): Promise<Relays | null> {
  if (relays.length === 0) return null;
  const { RelayLink } = await import('../../server/relay-link.ts');
  return new Relays(relays, (url) => new RelayLink(url));
}
