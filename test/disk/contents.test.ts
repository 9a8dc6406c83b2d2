import { TurnFolders } from '../../src/mail/mailboxes/turn-folders.ts';
import { describe, expect, it } from 'vitest';
import { readContent, textIn } from '../../src/disk/contents.ts';
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

it.each([
  [Buffer.from('a\nbc\0'), 'it is binary: it holds NUL bytes (line 2, column 3)'],
  [Buffer.from('h\u00e9\nn: \u00e9\n', 'latin1'), 'it is not text in UTF-8 (line 1, column 2: byte 0xe9)'],
  [Buffer.of(0xc3, 0xa9, 0x0a, 0xc3), 'it is not text in UTF-8 (line 2, column 1: byte 0xc3)'],
  [Buffer.from('\ufffd\u{1f600}'), null],
  [
    Buffer.concat([Buffer.from('\ufffd'), Buffer.of(0xff)]),
    'it is not text in UTF-8 (line 1, column 2: byte 0xff)',
  ],
  [Buffer.from('\ufeffname: x\n', 'utf16le'), 'it is text in UTF-16, and must be in UTF-8'],
  [Buffer.from('\ufeffname: x\n', 'utf16le').swap16(), 'it is text in UTF-16, and must be in UTF-8'],
])('says where %j is not text', (bytes, problem) => {
  expect(textIn(bytes)).toEqual(
    problem === null ? { ok: true, text: bytes.toString() } : { ok: false, problem },
  );
});

describe('collecting', () => {
  const outbox = '.mailroom/turns/t1/1/outbox';

  function opened(disk: MemoryDisk): TurnFolders {
    const folders = new TurnFolders(disk);
    folders.open({ turn: 't1', attempt: 1, round: 0 }, { prompt: '', messages: [], keepStaging: false });
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
