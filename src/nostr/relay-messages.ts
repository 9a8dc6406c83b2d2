import type { Event } from 'nostr-tools/core';
import { matchFilter, type Filter } from 'nostr-tools/filter';
import type { NostrEvent } from '../letters/nostr-event.ts';

/** What is asked of a relay: events of these kinds, authors and tags, from an instant (seconds) on. */
export interface RelayFilter {
  readonly kinds: readonly number[];
  readonly authors?: readonly string[];
  readonly ids?: readonly string[];
  readonly '#e'?: readonly string[];
  readonly '#d'?: readonly string[];
  readonly since?: number;
}

/** Whether a relay was asked for an event: it may send what it likes. */
export function isWanted(event: NostrEvent, filter: RelayFilter): boolean {
  // The library asks for what it may change, and changes nothing.
  return matchFilter(filter as Filter, event as unknown as Event);
}
