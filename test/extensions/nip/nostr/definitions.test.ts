import { expect, it } from 'vitest';
import { currentDefinition } from '../../../../src/extensions/nip/nostr/definitions.ts';
import type { NostrEvent } from '../../../../src/extensions/nip/letters/nostr-event.ts';

const event = (id: string, pubkey: string, at: number, d = 'w'): NostrEvent => ({
  id,
  pubkey,
  sig: 's',
  kind: 30_920,
  created_at: at,
  tags: [['d', d]],
  content: '',
});

it.each([
  ['the last one', [event('a', 'us', 1), event('b', 'us', 2), event('c', 'us', 9, 'other')], 'b'],
  ['the later kept of one second', [event('a', 'us', 1), event('b', 'us', 1)], 'b'],
  ['that of the author who was kept last', [event('a', 'us', 9), event('b', 'them', 2)], 'b'],
  ['the newest of that author', [event('a', 'them', 9), event('b', 'us', 10), event('c', 'them', 2)], 'a'],
  ['one that was kept again', [event('a', 'us', 1), event('b', 'them', 2), event('a', 'us', 1)], 'a'],
])('an id means %s', (_what, all, id) => {
  expect(currentDefinition(all, 'w')?.id).toBe(id);
});

it('an id that no definition has means none', () => {
  expect(currentDefinition([event('a', 'us', 1)], 'x')).toBeNull();
});
