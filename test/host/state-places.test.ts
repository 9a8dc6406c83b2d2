import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Kind } from '../../src/disk/disk.ts';
import { clearPlaces, clearState, clearStateFiles } from '../../src/host/state-places.ts';
import { MemoryDisk } from '../support/memory-disk.ts';

function clear(disk: MemoryDisk): string[] {
  return [...clearState(disk), ...clearStateFiles(disk)];
}

describe('the places of the state of a project', () => {
  it.each<[Kind, string]>([
    ['folder', 'a folder'],
    ['link', 'a link'],
    ['fifo', 'a fifo (named pipe)'],
    ['socket', 'a socket'],
    ['device', 'a device'],
  ])('are cleared of a %s where a file belongs, once', (kind, words) => {
    const disk = new MemoryDisk();
    const files = [
      'lock.json',
      'boot',
      'confirmed',
      'contexts/a.json',
      'events/a.jsonl',
      'events/relays/a.jsonl',
    ];
    for (const file of files) disk.plant(`.mailroom/${file}`, kind === 'link' ? 'nowhere' : '', kind);
    expect(clear(disk)).toEqual(
      files.map((file) => `.mailroom/${file} was moved to .mailroom/refused/: it is ${words}, not a file`),
    );
    expect(clear(disk)).toEqual([]);
    expect(disk.look('.mailroom/refused/boot')?.kind).toBe(kind);
    expect(disk.read('.mailroom/refused/boot.reason.txt', 100)?.toString()).toBe(
      `it is ${words}, not a file\n`,
    );
  });

  it.each<[Kind, string]>([
    ['file', 'a file'],
    ['link', 'a link'],
    ['fifo', 'a fifo (named pipe)'],
  ])('are cleared of a %s where a folder belongs, the folder for refused files included', (kind, words) => {
    const disk = new MemoryDisk();
    const folders = ['tmp', 'control', 'incoming', 'accepting', 'held', 'runs', 'contexts', 'events'];
    for (const folder of ['refused', ...folders])
      disk.plant(`.mailroom/${folder}`, kind === 'link' ? 'nowhere' : '', kind);
    expect(clear(disk)).toEqual(
      ['refused', ...folders].map(
        (folder) => `.mailroom/${folder} was moved to .mailroom/refused/: it is ${words}, not a folder`,
      ),
    );
    expect(disk.look('.mailroom/refused/refused')?.kind).toBe(kind);
  });

  it('keep everything that belongs there, and what only a person may replace', () => {
    const disk = new MemoryDisk();
    for (const file of [
      'lock.json',
      'boot',
      'confirmed',
      'events/a.jsonl',
      'events/relays/a.jsonl',
      'tmp/x',
      'refused/x',
    ])
      disk.plant(`.mailroom/${file}`, 'x');
    disk.plant('.mailroom/nostr.key', '', 'folder');
    disk.plant('.mailroom/journal', '', 'fifo');
    disk.plant('.mailroom/control/x.json', '', 'folder');
    expect(clear(disk)).toEqual([]);
  });

  it('keep apart what has the same name', () => {
    const disk = new MemoryDisk();
    disk.plant('.mailroom/runs/a/posted', '1');
    disk.plant('.mailroom/runs/b/posted', '2');
    clearPlaces(disk, 'folder', ['.mailroom/runs/a/posted', '.mailroom/runs/b/posted']);
    expect(
      ['posted', 'posted-2'].map((name) => disk.read(`.mailroom/refused/${name}`, 9)?.toString()),
    ).toEqual(['1', '2']);
  });

  it('are all that the program names in its folder, but for the format, the truth, the locks and the key', () => {
    const source = new URL('../../src/', import.meta.url);
    const names = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => [...readFileSync(new URL(name, source), 'utf8').matchAll(/'\.mailroom\/([\w.]+)'/g)])
      .map(([, name = '']) => name);
    const disk = new MemoryDisk();
    for (const name of names) disk.plant(`.mailroom/${name}`, '', 'fifo');
    clear(disk);
    const left = (disk.list('.mailroom') ?? []).filter((name) => name !== 'refused').toSorted();
    expect(left).toEqual(['format', 'journal', 'lock', 'nostr.key']);
  });
});
