import { expect, it } from 'vitest';
import { kinds, tagOf, type NostrEvent } from '../../src/core/nip/events.ts';
import { Announcer } from '../../src/engine/nip/announcer.ts';
import { nip } from './nip.ts';
import { World } from './world.ts';

const signer = {
  pubkey: 'us',
  sign: (template: object) => ({ ...template, id: 'i', sig: 's', pubkey: 'us' }) as NostrEvent,
};
const far = 4_000_000_000;
const request: NostrEvent = {
  id: 'r',
  pubkey: 'them',
  sig: 's',
  kind: kinds.request,
  created_at: far,
  content: '',
  tags: [],
};

it('orders the events of a run by their time, also over restarts, and follows no clock of others', () => {
  const world = new World(
    nip(['step', 'a', '5200', 'output:one'], ['step', 'b', '5200', 'output:two'], ['edge', 'a', 'b']),
  );
  const said: NostrEvent[] = [];
  const sink = { append: (events: readonly NostrEvent[]) => void said.push(...events) };
  const announcer = () => new Announcer(sink, signer, { id: 'run', request }, [request, ...said]);
  const tell = (by = announcer()) => by.tell(world.state, world.rules);
  const first = announcer();
  tell(first);
  world.done('a');
  tell(first);
  // Another host of the run, within the same second.
  world.fails('b', { class: 'NON_RETRYABLE' });
  tell();
  tell();
  expect(said.map((event) => `${tagOf(event, 'step') ?? ''} ${tagOf(event, 'status') ?? ''}`)).toEqual([
    'a running',
    'a completed',
    'b running',
    'b failed',
    ' failed',
  ]);
  const start = said[0]!.created_at;
  expect(start).toBeLessThan(far);
  expect(said.map(({ created_at: at }) => at - start)).toEqual([0, 1, 2, 3, 4]);
});
