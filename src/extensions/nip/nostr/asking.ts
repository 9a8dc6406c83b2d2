import type { NostrEvent } from '../letters/nostr-event.ts';
import type { RelayFilter } from './relay-messages.ts';

/** Milliseconds that relays have to answer. */
const patience = 5_000;
/** The maximum number of events to examine. */
const mostFound = 100;

/** The answer of relays to a query. */
interface RelayAnswer {
  /** Each with a valid signature of its author. */
  readonly events: readonly NostrEvent[];
  /** Some events were left out because their signature is invalid. */
  readonly forged: boolean;
  /** Why some of the relays did not answer. */
  readonly problems: readonly string[];
}

/** The events of all relays that can be reached and answer in time. */
export async function askRelays(relays: readonly string[], filter: RelayFilter): Promise<RelayAnswer> {
  const { RelayLink } = await import('./relay-link.ts');
  const found: NostrEvent[] = [];
  const problems: string[] = [];
  const asked = relays.map(async (url) => {
    let done: () => void = () => {};
    const over = new Promise<void>((resolve) => (done = resolve));
    const received = (event: NostrEvent) => {
      if (found.length < mostFound) found.push(event);
    };
    const link = new RelayLink(url, { wants: () => filter, received, caughtUp: done, away: done });
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      done();
    }, patience);
    await over;
    clearTimeout(timer);
    const problem = link.problem ?? (late ? `the relay ${url} has not answered` : null);
    if (problem !== null) problems.push(problem);
    link.close();
  });
  await Promise.all(asked);
  const { isAuthentic } = await import('./signer.ts');
  const judged = await Promise.all(found.map(async (event) => ((await isAuthentic(event)) ? [event] : [])));
  const events = judged.flat();
  return { events, forged: events.length < found.length, problems };
}
