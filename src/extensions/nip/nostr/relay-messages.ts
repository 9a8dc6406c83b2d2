import type { Event } from 'nostr-tools/core';
import { matchFilter, type Filter } from 'nostr-tools/filter';
import type { NostrEvent } from '../letters/nostr-event.ts';

/**
 * A relay subscription: events of these kinds, authors and tags, from a time (seconds since 1970)
 * on.
 */
export interface RelayFilter {
  readonly kinds: readonly number[];
  readonly authors?: readonly string[];
  readonly ids?: readonly string[];
  readonly '#e'?: readonly string[];
  readonly '#d'?: readonly string[];
  readonly since?: number;
}

/** Whether an event matches a filter: a relay may send anything. */
export function isWanted(event: NostrEvent, filter: RelayFilter): boolean {
  // The library requires mutable types, and does not change them.
  return matchFilter(filter as Filter, event as unknown as Event);
}
