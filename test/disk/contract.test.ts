import { describe, expect, it } from 'vitest';
import { checkPath, join } from '../../src/disk/disk.ts';
import { diskFixtures, cleanUp } from './disk-fixtures.ts';

cleanUp();

describe.each(diskFixtures)('Disk: $name', ({ make }) => {
  const text = (bytes: Buffer | null): string | null => bytes?.toString() ?? null;

  it('answers "not there" with null and false, and with nothing else', () => {
    const { disk } = make();
    expect(disk.list('agents/qa/inbox')).toBe(null);
    expect(disk.look('agents/qa/inbox')).toBe(null);
    expect(disk.read('a.md', 10)).toBe(null);
    expect(disk.resolve('a.md')).toBe(null);
    expect(disk.remove('a.md')).toBe(false);
    expect(disk.rename('a.md', 'b.md')).toBe('missing');
    expect(disk.list('')).toEqual([]);
  });

  it('writes whole files, making folders on the way, and leaves no temporary behind', () => {
    const { disk } = make();
    disk.write('a/b/c.md', 'first');
    disk.write('a/b/c.md', Buffer.from('second, ä'), { sync: true });
    expect(text(disk.read('a/b/c.md', 100))).toBe('second, ä');
    expect(disk.list('a/b')).toEqual(['c.md']);
    expect(disk.list('.mailroom/tmp') ?? []).toEqual([]);
  });

  it('reads no more than asked for, from where it is asked', () => {
    const { disk } = make();
    disk.write('a.md', '0123456789');
    expect(text(disk.read('a.md', 4))).toBe('0123');
    expect(text(disk.read('a.md', 4, 8))).toBe('89');
    expect(text(disk.read('a.md', 4, 20))).toBe('');
  });

  it('reads a file itself, and refuses one behind a link that stays inside, too', () => {
    const { disk, plant } = make();
    plant('real/x.md', '0123');
    plant('way', 'real', 'link');
    plant('x.md', 'real/x.md', 'link');
    expect(text(disk.readItself('real/x.md', 2, 1))).toBe('12');
    expect(disk.readItself('real/none.md', 2)).toBe(null);
    for (const path of ['way/x.md', 'x.md'])
      expect(() => disk.readItself(path, 2)).toThrowError(
        path === 'x.md' ? /x\.md/ : 'a link lies on the way',
      );
  });

  it('lists no more names than asked for, whatever they are', () => {
    const { disk, plant } = make();
    expect(disk.list('box', 2)).toBe(null);
    for (const name of ['a.md', 'b\udcff.md', '.c', 'd'.repeat(255), 'e\n.md']) plant(`box/${name}`, 'x');
    const all = disk.list('box') ?? [];
    expect(disk.list('box', 5)?.toSorted()).toEqual(all.toSorted());
    expect(disk.list('box', 9)).toHaveLength(5);
    expect(all).toEqual(expect.arrayContaining(disk.list('box', 2) ?? []));
    expect([disk.list('box', 2), disk.list('box', 0)]).toMatchObject([{ length: 2 }, { length: 0 }]);
    expect(() => disk.list('box/a.md', 2)).toThrowError(expect.objectContaining({ code: 'E_DISK' }));
  });

  it('tells which files may be executed', () => {
    const { disk } = make();
    disk.write('a.sh', 'a', { mode: 0o755 });
    disk.write('a.txt', 'a');
    disk.openAppend('b.sh', 0o777).close();
    disk.openAppend('b.txt').close();
    disk.makeFolder('folder');
    const names = ['a.sh', 'a.txt', 'b.sh', 'b.txt', 'folder'];
    expect(names.filter((name) => disk.look(name)?.executable)).toEqual(['a.sh', 'b.sh']);
    // A file that is replaced keeps this where it is asked for.
    for (const name of ['a.sh', 'b.sh', 'a.txt', 'new.sh']) disk.write(name, 'b', { mode: 'kept' });
    disk.write('b.sh', 'c');
    expect([...names, 'new.sh'].filter((name) => disk.look(name)?.executable)).toEqual(['a.sh']);
  });

  it("gives bytes that are the caller's own", () => {
    const { disk } = make();
    const bytes = Buffer.from('abc');
    disk.write('a.md', bytes);
    const appender = disk.openAppend('b.md');
    appender.write(bytes);
    bytes.fill(0);
    disk.read('a.md', 10)?.fill(0);
    disk.read('b.md', 10)?.fill(0);
    expect(text(disk.read('a.md', 10))).toBe('abc');
    expect(text(disk.read('b.md', 10))).toBe('abc');
    appender.close();
  });

  it('tells what lies at a path without following links', () => {
    const { disk, plant } = make();
    plant('file.md', 'four');
    plant('folder', '', 'folder');
    plant('pipe.md', '', 'fifo');
    plant('link.md', 'file.md', 'link');
    expect(disk.look('file.md')).toMatchObject({ kind: 'file', size: 4 });
    expect(['folder', 'pipe.md', 'link.md'].map((path) => disk.look(path)?.kind)).toEqual([
      'folder',
      'fifo',
      'link',
    ]);
    expect(disk.list('')?.toSorted()).toEqual(['file.md', 'folder', 'link.md', 'pipe.md']);
  });

  it('carries the time of change through a rename', () => {
    const { disk, plant, touch } = make();
    plant('a.md', 'x');
    touch('a.md', 1_700_000_000_000);
    expect(disk.rename('a.md', 'deep/b.md')).toBe('moved');
    expect(disk.look('deep/b.md')?.mtimeMs).toBe(1_700_000_000_000);
  });

  it.each(['fifo', 'folder', 'link'] as const)('does not read a %s, and does not wait for it', (kind) => {
    const { disk, plant } = make();
    plant('target', 'secret');
    plant('a.md', 'target', kind);
    expect(() => disk.read('a.md', 10)).toThrowError(expect.objectContaining({ code: 'E_DISK' }));
  });

  it('moves files, folders, fifos and links as they are', () => {
    const { disk, plant } = make();
    plant('box/file.md', 'x');
    plant('box/folder.md/inner', 'y');
    plant('box/pipe.md', '', 'fifo');
    plant('box/link.md', '/etc/passwd', 'link');
    for (const name of disk.list('box') ?? [])
      expect(disk.rename(`box/${name}`, `new/place/${name}`)).toBe('moved');
    expect(disk.list('box')).toEqual([]);
    expect(disk.list('new/place')?.toSorted()).toEqual(['file.md', 'folder.md', 'link.md', 'pipe.md']);
    expect(text(disk.read('new/place/folder.md/inner', 9))).toBe('y');
  });

  it('replaces the target of a rename unless told not to', () => {
    const { disk } = make();
    disk.write('a', 'a');
    disk.write('b', 'b');
    expect(disk.rename('a', 'b', { replace: false })).toBe('exists');
    expect([text(disk.read('a', 9)), text(disk.read('b', 9))]).toEqual(['a', 'b']);
    expect(disk.rename('a', 'b')).toBe('moved');
    expect([disk.look('a'), text(disk.read('b', 9))]).toEqual([null, 'a']);
    expect(disk.rename('b', 'b')).toBe('moved');
    expect(text(disk.read('b', 9))).toBe('a');
  });

  it('refuses to rename a file over a folder, or to write where one is', () => {
    const { disk } = make();
    disk.write('folder/x', 'x');
    disk.write('a', 'a');
    const refused = expect.objectContaining({ code: 'E_DISK' });
    expect(() => disk.rename('a', 'folder')).toThrowError(refused);
    expect(() => disk.rename('folder', 'a')).toThrowError(refused);
    expect(() => disk.write('folder', 'a')).toThrowError(refused);
    expect(() => disk.makeFolder('a')).toThrowError(refused);
    expect(() => disk.list('a')).toThrowError(refused);
    expect(() => disk.look('a/b')).toThrowError(refused);
    expect(disk.list('.mailroom/tmp') ?? []).toEqual([]);
  });

  it('removes folders with their content, and links without their target', () => {
    const { disk, plant } = make();
    plant('kept/x', 'x');
    plant('gone/deep/y', 'y');
    plant('gone/link', '../kept', 'link');
    expect(disk.remove('gone')).toBe(true);
    expect([disk.look('gone'), disk.look('kept/x')?.kind]).toEqual([null, 'file']);
  });

  it('appends at the end, knows the size, and cuts', () => {
    const { disk } = make();
    disk.write('log', 'one\n');
    const log = disk.openAppend('log');
    log.write(Buffer.from('two\n'));
    log.write(Buffer.from('three\n'));
    expect(log.size).toBe(14);
    log.truncate(8);
    expect(log.size).toBe(8);
    log.write(Buffer.from('four\n'));
    log.sync();
    log.close();
    disk.syncFolder('');
    expect(text(disk.read('log', 99))).toBe('one\ntwo\nfour\n');
  });

  it('syncs beside other work, also what is closed meanwhile', async () => {
    const { disk } = make();
    const log = disk.openAppend('log');
    log.write(Buffer.from('one'));
    const syncs = [log.syncBeside(), log.syncBeside()];
    log.close();
    disk.openAppend('other').close();
    await expect(Promise.all(syncs)).resolves.toEqual([undefined, undefined]);
    expect(text(disk.read('log', 99))).toBe('one');
  });

  it('makes a new log in a new folder', () => {
    const { disk } = make();
    const log = disk.openAppend('deep/er/log');
    log.write(Buffer.from('x'));
    log.close();
    expect(disk.look('deep/er/log')?.size).toBe(1);
  });

  it.each(['/etc/passwd', '..', 'a/../b', 'a//b', './a', 'a/', 'a\0b', 'a/.'])(
    'refuses the path %j',
    (path) => {
      const { disk } = make();
      const refused = expect.objectContaining({ code: 'E_PATH' });
      expect(() => disk.read(path, 1)).toThrowError(refused);
      expect(() => disk.look(path)).toThrowError(refused);
      expect(() => disk.list(path)).toThrowError(refused);
      expect(() => disk.write(path, '')).toThrowError(refused);
      expect(() => disk.remove(path)).toThrowError(refused);
      expect(() => disk.makeFolder(path)).toThrowError(refused);
      expect(() => disk.openAppend(path)).toThrowError(refused);
      expect(() => disk.rename(path, 'x')).toThrowError(refused);
      expect(() => disk.rename('x', path)).toThrowError(refused);
      expect(() => disk.resolve(path)).toThrowError(refused);
      expect(() => disk.syncFolder(path)).toThrowError(refused);
    },
  );

  it.each(['/tmp', '..', '../../..', 'inside/../..'])('refuses a way through a link to %s', (target) => {
    const { disk, plant } = make();
    plant('inside/x', 'x');
    plant('link', target, 'link');
    const refused = expect.objectContaining({ code: 'E_PATH' });
    expect(() => disk.list('link')).toThrowError(refused);
    expect(() => disk.look('link/x')).toThrowError(refused);
    expect(() => disk.read('link/x', 1)).toThrowError(refused);
    expect(() => disk.write('link/x', '')).toThrowError(refused);
    expect(() => disk.rename('inside/x', 'link/x')).toThrowError(refused);
    expect(() => disk.rename('link/x', 'inside/y')).toThrowError(refused);
    expect(() => disk.remove('link/x')).toThrowError(refused);
    expect(() => disk.makeFolder('link/x/y')).toThrowError(refused);
    expect(() => disk.link('link/x', 'y')).toThrowError(refused);
    expect(() => disk.openAppend('link/x')).toThrowError(refused);
    expect(() => disk.resolve('link')).toThrowError(refused);
    expect(disk.look('link')?.kind).toBe('link');
    expect(disk.remove('link')).toBe(true);
  });

  it('makes links, and none in the place of something', () => {
    const { disk } = make();
    disk.write('real/x.md', 'x');
    disk.link('new/folder/x.md', '../../real/x.md');
    expect(disk.look('new/folder/x.md')?.kind).toBe('link');
    expect(disk.resolve('new/folder/x.md')).toBe('real/x.md');
    const refused = expect.objectContaining({ code: 'E_DISK' });
    expect(() => disk.link('real/x.md', '../new')).toThrowError(refused);
    expect(text(disk.read('real/x.md', 9))).toBe('x');
  });

  it('follows links that stay inside', () => {
    const { disk, plant } = make();
    plant('real/x.md', 'x');
    plant('way', 'real', 'link');
    plant('real/here', `${disk.root}/real`, 'link');
    plant('role.md', 'way/x.md', 'link');
    expect(text(disk.read('way/here/x.md', 9))).toBe('x');
    disk.write('way/y.md', 'y');
    expect(text(disk.read('real/y.md', 9))).toBe('y');
    expect(disk.resolve('role.md')).toBe('real/x.md');
    expect(disk.resolve('')).toBe('');
  });

  it('gives up on links in a ring', () => {
    const { disk, plant } = make();
    plant('a', 'b', 'link');
    plant('b', 'a', 'link');
    expect(() => disk.look('a/x')).toThrowError(expect.objectContaining({ code: 'E_DISK' }));
  });

  it.each([
    'line\nbreak.md',
    `${'n'.repeat(252)}.md`,
    'ümlaut ☃ 🙂.md',
    '--help.md',
    'a\\b.md',
    ' .md',
    '\u0007.md',
  ])('carries the name %j', (name) => {
    const { disk, plant } = make();
    plant(`box/${name}`, 'x');
    expect(disk.list('box')).toEqual([name]);
    expect(text(disk.read(`box/${name}`, 9))).toBe('x');
    disk.write(`box/${name}`, 'y');
    expect(disk.rename(`box/${name}`, 'box/plain.md')).toBe('moved');
    expect(text(disk.read('box/plain.md', 9))).toBe('y');
  });

  it("tells the system's own words and what to do", () => {
    const { disk } = make();
    disk.write('a', 'a');
    const refused = expect.objectContaining({
      code: 'E_DISK',
      message: 'cannot list a: not a directory',
      hint: null,
    });
    expect(() => disk.list('a')).toThrowError(refused);
  });
});

describe('join', () => {
  it('puts a folder before a name', () => {
    expect([join('a/b', 'c.md'), join('', 'c.md'), join('a', '...')]).toEqual(['a/b/c.md', 'c.md', 'a/...']);
  });

  it.each(['', '.', '..', 'a/b', '/', 'a\0b'])('refuses the name %j', (name) => {
    expect(() => join('a', name)).toThrowError(expect.objectContaining({ code: 'E_PATH' }));
  });
});

describe('checkPath', () => {
  it('lets names with dots pass', () => {
    expect(() => checkPath('.mailroom/a..b/...')).not.toThrow();
  });
});
