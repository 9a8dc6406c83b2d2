import { describe, expect, it } from 'vitest';
import { MemoryDisk } from '../support/memory-disk.ts';
import { park, readParked } from '../../src/host/parked.ts';

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
});
