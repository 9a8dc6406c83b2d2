import { MailroomError } from '../../core/errors.ts';
import { kinds, type NostrEvent } from '../../core/nip/events.ts';
import type { RelayFilter } from '../../server/relay-messages.ts';

/** Milliseconds that relays have to say what they know. */
const patience = 5_000;
/** Events that are looked at: nobody needs more. */
const mostFound = 100;

/**
 * A definition that relays know: by the id of its event, or by `30920:<author>:<d>` the newest of that author and id. Null:
 * the word means none, or nobody knows it. Throws `E_FORBIDDEN` when what they say is not signed by its author. Whether the
 * workflow in it can be run is not asked here.
 */
export async function fetchDefinition(relays: readonly string[], word: string): Promise<NostrEvent | null> {
  const filter = filterOf(word);
  if (filter === null || relays.length === 0) return null;
  const found = await ask(relays, filter);
  const { isAuthentic } = await import('../../engine/nip/signer.ts');
  const verified: NostrEvent[] = [];
  for (const event of found) if (await isAuthentic(event)) verified.push(event);
  const newest = verified.toSorted((a, b) => b.created_at - a.created_at)[0];
  if (newest !== undefined || found.length === 0) return newest ?? null;
  throw new MailroomError(
    'E_FORBIDDEN',
    `the definition is refused: the signature of \`${word}\` is not that of its text and its author`,
  );
}

function filterOf(word: string): RelayFilter | null {
  if (/^[0-9a-f]{64}$/.test(word)) return { kinds: [kinds.definition], ids: [word] };
  const [, author, id] = /^30920:([0-9a-f]{64}):(.+)$/.exec(word) ?? [];
  if (author === undefined || id === undefined) return null;
  return { kinds: [kinds.definition], authors: [author], '#d': [id] };
}

/** What all relays have, or those that answer in time; each event once. */
async function ask(relays: readonly string[], filter: RelayFilter): Promise<NostrEvent[]> {
  const { RelayLink } = await import('../../server/relay-link.ts');
  const found: NostrEvent[] = [];
  const asked = relays.map((url) => {
    let done: () => void = () => {};
    const over = new Promise<void>((resolve) => (done = resolve));
    const heard = (event: NostrEvent) => {
      if (found.length < mostFound) found.push(event);
    };
    const link = new RelayLink(url, { wants: () => filter, heard, caughtUp: done });
    const timer = setTimeout(done, patience);
    return over.finally(() => {
      clearTimeout(timer);
      link.close();
    });
  });
  await Promise.all(asked);
  return found;
}
