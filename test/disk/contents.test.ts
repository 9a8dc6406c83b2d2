import { TurnFolders } from '../../src/mail/mailboxes/turn-folders.ts';
import { describe, expect, it } from 'vitest';
import { readContent } from '../../src/disk/contents.ts';
import { MemoryDisk } from '../support/memory-disk.ts';
import { failure } from '../support/memory-tree.ts';

/** A disk on which something happens to a file after it was looked at and before it is read. */
function changing(path: string, change: (disk: MemoryDisk) => void): MemoryDisk {
  const disk = new MemoryDisk();
  let looks = 0;
  disk.beforeRead = (each) => {
    looks += each === path ? 1 : 0;
    if (each === path && looks === 2) change(disk);
  };
  return disk;
}

describe('readContent', () => {
  it('does not read what is too large', () => {
    const disk = changing('x.md', () => {
      throw new Error('it was read');
    });
    disk.plant('x.md', '12345');
    expect(readContent(disk, 'x.md', 4)).toEqual({
      ok: false,
      problem: 'it has 5 bytes, the limit is 4 bytes',
    });
  });

  it('refuses what grew beyond the limit after it was looked at', () => {
    const disk = changing('x.md', (each) => each.plant('x.md', '12345'));
    disk.plant('x.md', '1234');
    expect(readContent(disk, 'x.md', 4)).toMatchObject({ ok: false });
  });

  it('answers gone for what went away after it was looked at, and says what it cannot read', () => {
    const disk = changing('x.md', (each) => each.remove('x.md'));
    disk.plant('x.md', '1');
    expect(readContent(disk, 'x.md')).toBe('gone');
    expect(readContent(disk, 'x.md')).toBe('gone');
    const broken = changing('x.md', () => {
      throw failure('read', 'x.md', 'input/output error');
    });
    broken.plant('x.md', '1');
    expect(() => readContent(broken, 'x.md')).toThrowError('cannot read x.md: input/output error');
  });
});

describe('collecting', () => {
  const outbox = '.mailroom/turns/t1/1/outbox';

  function opened(disk: MemoryDisk): TurnFolders {
    const folders = new TurnFolders(disk);
    folders.open('t1', 1, 0, () => '', [], false);
    return folders;
  }

  it('leaves out a file that goes away meanwhile', () => {
    const disk = changing(`${outbox}/a.md`, (each) => each.remove(`${outbox}/a.md`));
    const folders = opened(disk);
    disk.plant(`${outbox}/a.md`, 'a');
    disk.plant(`${outbox}/b.md`, 'b');
    expect(folders.collect('t1', 1, 0).map(({ name }) => name)).toEqual(['b.md']);
  });

  it('keeps nothing of an earlier collection of the same round', () => {
    const disk = new MemoryDisk();
    const folders = opened(disk);
    disk.plant(`${outbox}/a.md`, 'a');
    folders.collect('t1', 1, 0);
    disk.rename(`${outbox}/a.md`, `${outbox}/b.md`);
    folders.collect('t1', 1, 0);
    expect(disk.list('.mailroom/turns/t1/1/collected-0')).toEqual(['b.md']);
  });

  it('does not take a folder that it cannot read for an empty one', () => {
    const disk = new MemoryDisk();
    const folders = opened(disk);
    disk.beforeRead = (path) => {
      throw failure('list', path, 'input/output error');
    };
    expect(() => folders.collect('t1', 1, 0)).toThrowError(expect.objectContaining({ code: 'E_DISK' }));
  });
});
