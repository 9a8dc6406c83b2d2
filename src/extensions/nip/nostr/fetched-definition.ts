import { MailroomError } from '../../../kernel/errors.ts';
import { kinds, type NostrEvent } from '../letters/nostr-event.ts';
import type { RelayFilter } from './relay-messages.ts';
import { askRelays } from './asking.ts';

/** A definition from relays, and why some of them did not answer. */
interface Fetched {
  /** Null: the word is not an id, or no relay has it. */
  readonly event: NostrEvent | null;
  readonly problems: readonly string[];
}

/**
 * A definition from relays: by the id of its event, or by `30920:<author>:<d>` the newest of that
 * author and id. Throws `E_FORBIDDEN` when its signature is not its author's. Does not check
 * whether its workflow can be run.
 */
export async function fetchDefinition(relays: readonly string[], word: string): Promise<Fetched> {
  const filter = filterOf(word);
  if (filter === null || relays.length === 0) return { event: null, problems: [] };
  const { events, forged, problems } = await askRelays(relays, filter);
  const newest = events.toSorted((a, b) => b.created_at - a.created_at)[0];
  if (newest === undefined && forged)
    throw new MailroomError(
      'E_FORBIDDEN',
      `the definition is refused: the signature of \`${word}\` is not that of its text and its author`,
    );
  return { event: newest ?? null, problems };
}

function filterOf(word: string): RelayFilter | null {
  if (/^[0-9a-f]{64}$/.test(word)) return { kinds: [kinds.definition], ids: [word] };
  const [, author, id] = /^30920:([0-9a-f]{64}):(.+)$/.exec(word) ?? [];
  if (author === undefined || id === undefined) return null;
  return { kinds: [kinds.definition], authors: [author], '#d': [id] };
}
