import { describe, expect, it } from 'vitest';
import { MemoryDisk } from '../support/memory-disk.ts';
import { park, readParked } from '../../src/host/parked.ts';
import { shareParking } from '../../src/host/parking.ts';

describe('parked providers', () => {
  it('are known, whatever their name', () => {
    const disk = new MemoryDisk();
    expect(readParked(disk)).toEqual(new Map());
    const names = ['claude', '../../escape', '..', '.', 'ä b', 'my.provider'];
    for (const [index, name] of names.entries()) park(disk, name, 1_000 + index);
    park(disk, 'claude', 5);
    const until = names.map((name, index): [string, number] => [name, name === 'claude' ? 5 : 1_000 + index]);
    expect(readParked(disk)).toEqual(new Map(until));
    expect(disk.list('.mailroom/parked')).toHaveLength(names.length);
  });

  it('are passed over where the file says nothing', () => {
    const disk = new MemoryDisk();
    disk.plant('.mailroom/parked/a', 'no JSON');
    disk.plant('.mailroom/parked/b', '{"until":"soon"}');
    disk.plant('.mailroom/parked/c', '', 'folder');
    disk.plant('.mailroom/parked/.d', '{"until":1}');
    disk.plant('.mailroom/parked/%', '{"until":1}');
    expect(readParked(disk)).toEqual(new Map());
  });

  it('are shared between hosts: the later limit counts for all, one that is over for none', () => {
    const now = 1_000;
    const shared = new Map([
      ['soon', now + 1],
      ['later', now + 50],
      ['over', now],
    ]);
    const parked = new Map([
      ['later', now + 20],
      ['own', now + 1],
      ['gone', now],
    ]);
    const learnt: (readonly [string, number])[] = [];
    const said: (readonly [string, number])[] = [];
    shareParking(
      {
        state: { parked },
        now: () => now,
        record: (facts) => learnt.push(...facts.map(({ provider, until }) => [provider, until] as const)),
      },
      { list: () => shared, park: (provider, until) => said.push([provider, until]) },
    );
    expect(learnt).toEqual([
      ['soon', now + 1],
      ['later', now + 50],
    ]);
    expect(said).toEqual([['own', now + 1]]);
  });
});
