import { describe, expect, it } from 'vitest';
import { MemoryDisk } from '../support/memory-disk.ts';
import type { Operation } from '../support/memory-disk.ts';
import { failure } from '../support/memory-tree.ts';

const text = (disk: MemoryDisk, path: string): string | null => disk.read(path, 999)?.toString() ?? null;

function appended(disk: MemoryDisk, path: string, synced: string, unsynced: string): void {
  const log = disk.openAppend(path);
  log.write(Buffer.from(synced));
  log.sync();
  log.write(Buffer.from(unsynced));
}

describe('MemoryDisk', () => {
  it('takes the times of files from its clock', () => {
    let now = 5;
    const disk = new MemoryDisk(() => now);
    disk.write('a', 'x');
    now = 9;
    disk.plant('b', 'x');
    const log = disk.openAppend('c');
    now = 11;
    log.write(Buffer.from('x'));
    expect(['a', 'b', 'c'].map((path) => disk.look(path)?.mtimeMs)).toEqual([5, 9, 11]);
  });

  it('reports every change before it happens, and no read', () => {
    const disk = new MemoryDisk();
    const seen: Pick<Operation, 'kind' | 'path' | 'bytes' | 'number'>[] = [];
    disk.before = ({ kind, path, bytes, number }) => void seen.push({ kind, path, bytes, number });
    disk.write('f/a', 'four');
    disk.rename('f/a', 'f/b');
    disk.look('f/b');
    disk.list('f');
    disk.read('f/b', 9);
    const log = disk.openAppend('log');
    log.write(Buffer.from('xy'));
    log.sync();
    log.truncate(1);
    disk.syncFolder('');
    disk.makeFolder('g');
    disk.remove('f');
    expect(seen.map(({ kind, path, bytes }) => `${kind} ${path} ${bytes}`)).toEqual([
      'write f/a 4',
      'rename f/a 0',
      'open log 0',
      'append log 2',
      'sync log 0',
      'truncate log 0',
      'sync-folder  0',
      'folder g 0',
      'remove f 0',
    ]);
    expect(seen.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(disk.operations).toBe(9);
  });

  it('stands still after a crash until it is told that the process is gone', () => {
    const disk = new MemoryDisk();
    disk.write('a', 'old');
    const log = disk.openAppend('log');
    disk.before = () => {
      throw new Error('crash');
    };
    expect(() => disk.write('a', 'new')).toThrowError('crash');
    disk.before = null;
    expect(() => disk.remove('a')).toThrowError('crash');
    expect(() => disk.look('a')).toThrowError('crash');
    expect(() => log.write(Buffer.from('x'))).toThrowError('crash');
    disk.crash();
    expect(text(disk, 'a')).toBe('old');
    expect(() => log.write(Buffer.from('x'))).toThrowError(/cannot use log: bad file descriptor/);
  });

  it('fails an operation with an error of the disk, and works on', () => {
    const disk = new MemoryDisk();
    disk.before = ({ path }) => {
      if (path === 'a') throw failure('write', 'a', 'input/output error');
    };
    expect(() => disk.write('a', 'x')).toThrowError(expect.objectContaining({ code: 'E_DISK' }));
    disk.write('b', 'x');
    disk.beforeRead = (path) => {
      if (path === 'b') throw failure('read', 'b', 'input/output error');
    };
    expect(() => disk.read('b', 1)).toThrowError('cannot read b: input/output error');
    expect(() => disk.list('b')).toThrowError('cannot read b: input/output error');
    expect(disk.list('')).toEqual(['b']);
  });

  it('keeps what was written through a crash, unless the power goes', () => {
    const disk = new MemoryDisk();
    disk.makeFolder('f');
    disk.syncFolder('f');
    appended(disk, 'f/log', 'safe', 'risky');
    disk.syncFolder('f');
    disk.crash();
    expect(text(disk, 'f/log')).toBe('saferisky');
    const cut = [0, 0.5, 0.99].map((draw) => {
      const copy = disk.clone();
      copy.crash({ lose: 'unsynced', random: () => draw });
      return text(copy, 'f/log');
    });
    expect(cut).toEqual(['safe', 'saferis', 'saferisky']);
    disk.crash({ lose: 'unsynced' });
    expect(text(disk, 'f/log')).toBe('safe');
  });

  it('loses a new log whose folder was not synced, also under another name', () => {
    const disk = new MemoryDisk();
    appended(disk, 'f/log', 'safe', '');
    disk.rename('f/log', 'f/renamed');
    disk.crash({ lose: 'unsynced', random: () => 0.6 });
    expect(text(disk, 'f/renamed')).toBe('safe');
    appended(disk, 'f/log', 'safe', '');
    disk.rename('f/log', 'f/second');
    disk.crash({ lose: 'unsynced' });
    expect(disk.list('f')).toEqual(['renamed']);
  });

  it('loses nothing of a whole file that took the place of an unsynced log', () => {
    const disk = new MemoryDisk();
    appended(disk, 'log', '', 'unsynced');
    disk.write('log', 'whole');
    appended(disk, 'other', '', 'unsynced');
    disk.remove('other');
    disk.plant('other', 'whole');
    disk.crash({ lose: 'unsynced' });
    expect([text(disk, 'log'), text(disk, 'other')]).toEqual(['whole', 'whole']);
  });

  it('is full after so many bytes: appends end short, whole files do not come to be', () => {
    const disk = new MemoryDisk();
    disk.free = 6;
    disk.write('a', '1234');
    expect(() => disk.write('b', '123')).toThrowError('cannot write b: no space left on device');
    const log = disk.openAppend('log');
    expect(() => log.write(Buffer.from('123'))).toThrowError('cannot append to log: no space left on device');
    expect([disk.look('b'), log.size, disk.free]).toEqual([null, 2, 0]);
    disk.free = Infinity;
    disk.before = () => 1;
    expect(() => log.write(Buffer.from('xyz'))).toThrowError(/no space/);
    expect(() => disk.write('b', 'xyz')).toThrowError(/no space/);
    expect(text(disk, 'log')).toBe('12x');
  });

  it('knows which files are open, and refuses those that were closed', () => {
    const disk = new MemoryDisk();
    const log = disk.openAppend('log');
    const other = disk.openAppend('log');
    expect(disk.openFiles).toBe(2);
    log.close();
    log.close();
    expect(disk.openFiles).toBe(1);
    expect(() => log.write(Buffer.from('x'))).toThrowError(/bad file descriptor/);
    disk.crash();
    other.close();
    expect(disk.openFiles).toBe(0);
  });

  it('can be slow', () => {
    let now = 0;
    const disk = new MemoryDisk(() => now);
    disk.delay = () => void (now += 7);
    disk.write('a', 'x');
    disk.look('a');
    expect([now, disk.look('a')?.mtimeMs]).toEqual([14, 7]);
  });

  it('makes copies that know nothing of each other', () => {
    const disk = new MemoryDisk();
    disk.write('f/a', 'a');
    const log = disk.openAppend('f/log');
    log.write(Buffer.from('one '));
    const copy = disk.clone();
    const again = copy.clone();
    log.write(Buffer.from('two'));
    const copyLog = copy.openAppend('f/log');
    copyLog.write(Buffer.from('three'));
    disk.write('f/a', 'b');
    copy.remove('f/a');
    copy.write('f/c', 'c');
    expect([text(disk, 'f/log'), text(copy, 'f/log'), text(again, 'f/log')]).toEqual([
      'one two',
      'one three',
      'one ',
    ]);
    expect([text(disk, 'f/a'), text(copy, 'f/a'), text(again, 'f/a')]).toEqual(['b', null, 'a']);
    expect([disk.list('f'), again.list('f')]).toEqual([
      ['a', 'log'],
      ['a', 'log'],
    ]);
    again.crash({ lose: 'unsynced' });
    expect([again.list('f'), copy.list('f')?.toSorted()]).toEqual([['a'], ['c', 'log']]);
  });
});
