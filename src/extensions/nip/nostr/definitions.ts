import { tagOf, type NostrEvent } from '../letters/nostr-event.ts';

/**
 * The definition that an id (the tag `d`) names, of all that were kept, in their order: the newest
 * by the author of the last one, as relays keep the newest of an author and id. Null: no definition
 * has that id.
 */
export function currentDefinition(all: readonly NostrEvent[], id: string): NostrEvent | null {
  const own = all.filter((event) => tagOf(event, 'd') === id);
  const last = own.at(-1);
  if (last === undefined) return null;
  return own.reduce(
    (newest, event) =>
      event.pubkey === last.pubkey && event.created_at >= newest.created_at ? event : newest,
    own.find(({ pubkey }) => pubkey === last.pubkey)!,
  );
}
