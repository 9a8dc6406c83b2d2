import { expect, it } from 'vitest';
import { Relays, unsentCount } from '../../../src/extensions/nip/nostr/relays.ts';
import type { NostrEvent } from '../../../src/extensions/nip/letters/nostr-event.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { Deliveries } from '../../../src/extensions/nip/nostr/deliveries.ts';
import { EventLog } from '../../../src/extensions/nip/nostr/event-log.ts';

const relays = ['wss://one', 'wss://two'];
const [a, b] = ['a'.repeat(64), 'b'.repeat(64)];
const event = (id: string): NostrEvent => ({
  id,
  pubkey: 'c'.repeat(64),
  sig: 'd'.repeat(128),
  kind: 7_920,
  created_at: 1,
  tags: [],
  content: '',
});

/** Keeps two events, one after the other; nothing is sent. */
function keeps(disk: MemoryDisk): void {
  const to = new Relays(disk, relays, () => {
    throw new Error('nobody is to be connected to');
  });
  to.keep('run', [event(a)]);
  to.keep('run', [event(b)]);
}

it.each(['unsynced', undefined] as const)(
  'forgets no event that is kept, whatever was killed in between (%s writes are lost)',
  (lose) => {
    let crashes = 0;
    for (let at = 1; ; at += 1) {
      const disk = new MemoryDisk(() => 0);
      let operations = 0;
      disk.before = () => {
        if ((operations += 1) >= at) throw new Error('crash');
      };
      let isThrough = true;
      try {
        keeps(disk);
      } catch {
        isThrough = false;
        crashes += 1;
      }
      disk.before = null;
      disk.crash(lose === undefined ? {} : { lose });
      const kept = new EventLog(disk, 'run').read().map(({ id }) => id);
      for (const relay of relays)
        expect([...new Deliveries(disk, 'run').unsent(relay)]).toEqual(expect.arrayContaining(kept));
      if (!isThrough) continue;
      expect(kept).toEqual([a, b]);
      break;
    }
    expect(crashes).toBeGreaterThan(4);
  },
);

it('counts an event once for all relays, and no more when each has taken or refused it', () => {
  const disk = new MemoryDisk(() => 0);
  const deliveries = new Deliveries(disk, 'run');
  const left = () => unsentCount(disk, { relays }, 'run');
  deliveries.want([event(a), event(b)], relays);
  expect(left()).toBe(2);
  deliveries.answered('wss://one', a, '');
  deliveries.answered('wss://two', a, 'blocked: no');
  deliveries.answered('wss://one', b, '');
  expect(left()).toBe(1);
  // Noted before, and answered: it is not sent again unless somebody asks for it.
  deliveries.want([event(a)], relays);
  expect(left()).toBe(1);
  deliveries.want([event(a)], relays, true);
  expect([...deliveries.unsent('wss://two')].toSorted()).toEqual([a, b]);
  expect([...deliveries.unsent('wss://one')]).toEqual([]);
});

it('reads on behind half a line that a killed process left', () => {
  const disk = new MemoryDisk(() => 0);
  const deliveries = new Deliveries(disk, 'run');
  deliveries.want([event(a)], ['wss://one']);
  const file = disk.openAppend('.mailroom/events/relays/run.jsonl');
  file.write(Buffer.from('{"relay":"wss://o'));
  file.close();
  deliveries.answered('wss://one', a, '');
  expect(deliveries.answer('wss://one', a)).toBe('');
});
