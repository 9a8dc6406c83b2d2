import type { EventTemplate, NostrEvent } from '../letters/nostr-event.ts';

/** Signs with the project's key. */
export interface Signer {
  readonly pubkey: string;
  sign(template: EventTemplate): NostrEvent;
}

/** The signer of a key. Loads the slow signing library only now. */
export async function loadSigner(key: string): Promise<Signer> {
  const { finalizeEvent, getPublicKey } = await import('nostr-tools/pure');
  const secret = Buffer.from(key, 'hex');
  return {
    pubkey: getPublicKey(secret),
    sign: ({ kind, created_at, tags, content }) => {
      const signed = finalizeEvent({ kind, created_at, content, tags: tags.map((tag) => [...tag]) }, secret);
      const { id, pubkey, sig } = signed;
      return { id, pubkey, created_at, kind, tags, content, sig };
    },
  };
}

/**
 * Whether the id of an event is that of its text and its signature is its author's. Copies it
 * first: the library trusts a mark that it leaves on verified events, which survives a change.
 */
export async function isAuthentic(event: NostrEvent): Promise<boolean> {
  const { verifyEvent } = await import('nostr-tools/pure');
  return verifyEvent(JSON.parse(JSON.stringify(event)) as Parameters<typeof verifyEvent>[0]);
}
