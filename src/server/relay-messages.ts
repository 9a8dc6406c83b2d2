import type { Event } from 'nostr-tools/core';
import { matchFilter, type Filter } from 'nostr-tools/filter';
import { parseJson, type Json } from '../core/json.ts';
import { asEvent, type NostrEvent } from '../core/nip/events.ts';

/** What is asked of a relay: events of these kinds, authors and tags, from an instant (seconds) on. */
export interface RelayFilter {
  readonly kinds: readonly number[];
  readonly authors?: readonly string[];
  readonly ids?: readonly string[];
  readonly '#e'?: readonly string[];
  readonly '#d'?: readonly string[];
  readonly since?: number;
}

/** What a relay says, as far as it is a message of the protocol and means something here. */
export type RelayMessage =
  /** Its shape is that of an event; nothing in it is verified. */
  | { readonly is: 'event'; readonly event: NostrEvent }
  | { readonly is: 'answer'; readonly id: string; readonly accepted: boolean; readonly reason: string }
  /** It has sent all that it had. */
  | { readonly is: 'caught-up' }
  /** It does not serve what was asked. */
  | { readonly is: 'closed'; readonly reason: string };

/** Null: it is no message, or one that means nothing here. */
export function readRelayMessage(text: string): RelayMessage | null {
  const [word, id, what, reason] = list(text);
  const words = (value: Json | undefined) => (typeof value === 'string' ? value.slice(0, 200) : '');
  switch (word) {
    case 'EVENT': {
      const event = asEvent(what ?? null);
      return event && { is: 'event', event };
    }
    case 'OK':
      return typeof id === 'string'
        ? { is: 'answer', id, accepted: what === true, reason: words(reason) }
        : null;
    case 'EOSE':
      return { is: 'caught-up' };
    case 'CLOSED':
      return { is: 'closed', reason: words(what) };
    default:
      return null;
  }
}

function list(text: string): readonly Json[] {
  const value = parseJson(text);
  return Array.isArray(value) ? value : [];
}

/** Whether a relay was asked for an event: it may send what it likes. */
export function isWanted(event: NostrEvent, filter: RelayFilter): boolean {
  // The library asks for what it may change, and changes nothing.
  return matchFilter(filter as Filter, event as unknown as Event);
}
