import { Mailboxes } from '../../src/mail/mailboxes/mailboxes.ts';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { nameFromBytes, pathForSystem } from '../../src/disk/file-names.ts';
import { closeFolders } from '../../src/disk/open-folders.ts';
import { RealDisk } from '../../src/disk/real-disk.ts';

let disk: RealDisk;

beforeEach(() => {
  disk = new RealDisk(mkdtempSync(join(tmpdir(), 'mailroom-real-')));
});
afterEach(() => rmSync(disk.root, { recursive: true, force: true }));

describe('RealDisk', () => {
  it('opens only a project that is there', () => {
    const missing = {
      code: 'E_DISK',
      message: 'cannot open the project /no/such/folder: no such file or directory',
    };
    expect(() => new RealDisk('/no/such/folder')).toThrowError(expect.objectContaining(missing));
  });

  it('writes beside the place where it was told so, and leaves nothing else there', () => {
    const beside = new RealDisk(disk.root, null);
    beside.write('a/b.txt', 'first');
    beside.write('c.txt', 'second');
    expect([readdirSync(disk.root).toSorted(), readdirSync(join(disk.root, 'a'))]).toEqual([
      ['a', 'c.txt'],
      ['b.txt'],
    ]);
    disk.write('d.txt', 'third');
    expect(readdirSync(disk.root)).toContain('.mailroom');
  });

  it('carries names that are no UTF-8, from the folder to the journal and back', () => {
    const bytes = Buffer.concat([Buffer.from('caf'), Buffer.of(0xe9, 0xff), Buffer.from('-é\ufffd🙂.md')]);
    const inbox = Buffer.from(`${disk.root}/agents/qa/inbox/`);
    const mailboxes = new Mailboxes(disk);
    mailboxes.prepare(['qa']);
    writeFileSync(Buffer.concat([inbox, bytes]), 'x');
    const [name = ''] = mailboxes.list('qa', 'inbox') ?? [];
    expect(name).toBe('caf\udce9\udcff-é\ufffd🙂.md');
    expect(disk.list('agents/qa/inbox', 5)).toEqual([name]);
    const again = JSON.parse(JSON.stringify(name)) as string;
    const file = { role: 'qa', box: 'inbox', name: again } as const;
    const glance = mailboxes.glance(file, Date.now() + 20);
    expect(mailboxes.settled(file, glance, 'none')).toEqual({ is: 'complete' });
    expect(mailboxes.accept(file, 'id')).toBe(true);
    expect(mailboxes.accepting.all()).toMatchObject([{ name, content: { ok: true, text: 'x' } }]);
    mailboxes.keep('id', 'qa', '2026-11', name);
    const kept = readdirSync(join(disk.root, 'agents/qa/failed/2026-11'), { encoding: 'buffer' });
    expect(kept).toEqual([bytes]);
  });

  it('distinguishes a socket from a file', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(disk.root, 'socket.md'), resolve));
    expect(disk.look('socket.md')?.kind).toBe('socket');
    expect(() => disk.read('socket.md', 1)).toThrowError(expect.objectContaining({ code: 'E_DISK' }));
    await new Promise((resolve) => server.close(resolve));
  });

  it('gives a file the mode that was asked for', () => {
    disk.write('read-only.md', 'x', { mode: 0o444 });
    expect(statSync(join(disk.root, 'read-only.md')).mode & 0o777).toBe(0o444);
    disk.write('read-only.md', 'y', { mode: 'kept' });
    expect(statSync(join(disk.root, 'read-only.md')).mode & 0o777).toBe(0o444);
    chmodSync(join(disk.root, 'read-only.md'), 0o777);
    disk.write('read-only.md', 'z', { mode: 'kept' });
    expect(statSync(join(disk.root, 'read-only.md')).mode & 0o777).toBe(0o777);
  });

  it('leaves nothing behind where a write fails', () => {
    const long = 'n'.repeat(256);
    const words = expect.objectContaining({ code: 'E_DISK', message: `cannot write ${long}: name too long` });
    expect(() => disk.write(long, 'x')).toThrowError(words);
    expect(readdirSync(join(disk.root, '.mailroom/tmp'))).toEqual([]);
  });

  it.each(['file/inside', 'n'.repeat(256)])(
    'says in its own words that no folder can be made at %.20s',
    (path) => {
      disk.write('file', 'x');
      expect(() => disk.makeFolder(path)).toThrowError(expect.objectContaining({ code: 'E_DISK' }));
    },
  );

  it('names the whole path below a root that is not ours: who reads it knows of no root', () => {
    const long = 'n'.repeat(256);
    const workspace = new RealDisk(disk.root, null);
    symlinkSync('/etc', join(disk.root, 'out'));
    expect(() => workspace.list('out')).toThrowError(`a link on the way leads out of ${disk.root}`);
    rmSync(join(disk.root, 'out'));
    expect(() => workspace.write(long, 'x')).toThrowError(`cannot write ${disk.root}/${long}: name too long`);
    expect(readdirSync(disk.root)).toEqual([]);
  });

  it('leaves the old file or the new one, whole, when the writer is killed', async () => {
    const program = `
      import { RealDisk } from ${JSON.stringify(new URL('../../src/disk/real-disk.ts', import.meta.url).pathname)};
      const disk = new RealDisk(process.argv[1]);
      const texts = ['a', 'b'].map((letter) => letter.repeat(300_000));
      disk.write('file', texts[0]);
      console.log('writing');
      for (let turn = 1; ; turn += 1) disk.write('file', texts[turn % 2]);
    `;
    const tsx = new URL('../../node_modules/tsx/dist/loader.mjs', import.meta.url).href;
    const argv = ['--import', tsx, '--input-type=module', '--eval', program, disk.root];
    const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
    const closed = once(child, 'close');
    // Killed by the first look at its output: somewhere in the middle of a write.
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await closed;
    const text = disk.read('file', Infinity)?.toString() ?? '';
    expect(text.length).toBe(300_000);
    expect(new Set(text).size).toBe(1);
  });

  it('says what the system says about a full disk', () => {
    // /dev/full refuses every write; a link to it would be refused before.
    expect(existsSync('/dev/full')).toBe(true);
    const root = new RealDisk('/');
    const full = root.openAppend.bind(root, 'dev/full');
    expect(full).toThrowError('cannot open dev/full: it is a device, not a file');
  });

  it('does not wait for a fifo that no one reads', () => {
    execFileSync('mkfifo', [join(disk.root, 'pipe.md')]);
    expect(() => disk.read('pipe.md', 10)).toThrowError('cannot read pipe.md: it is a fifo, not a file');
    expect(() => disk.openAppend('pipe.md')).toThrowError('cannot open pipe.md: no such device or address');
  });
});

/** Until here the program works without a pause. */
const pause = (): Promise<void> => Promise.resolve();

describe('a folder that was examined', () => {
  let outside: string;
  beforeEach(() => {
    outside = mkdtempSync(join(tmpdir(), 'mailroom-outside-'));
    disk.write('work/first', 'x');
  });
  afterEach(() => rmSync(outside, { recursive: true, force: true }));

  /** An agent puts a link out of the project in the place of the folder. */
  function replaceFolder(): void {
    renameSync(join(disk.root, 'work'), join(disk.root, 'moved'));
    symlinkSync(outside, join(disk.root, 'work'));
  }

  it.each<[string, () => void, string[]]>([
    ['write', () => disk.write('work/second', 'x'), ['first', 'second']],
    ['append', () => disk.openAppend('work/second').close(), ['first', 'second']],
    ['make a folder', () => disk.makeFolder('work/second'), ['first', 'second']],
    ['rename', () => disk.rename('work/first', 'work/second'), ['second']],
    ['remove', () => disk.remove('work/first'), []],
  ])('is that of the act, whatever link takes its place: %s', async (_what, act, left) => {
    await pause();
    disk.look('work/first');
    replaceFolder();
    act();
    expect([readdirSync(outside), readdirSync(join(disk.root, 'moved')).toSorted()]).toEqual([[], left]);
    await pause();
    expect(act).toThrowError(expect.objectContaining({ code: 'E_PATH' }));
    expect(readdirSync(outside)).toEqual([]);
  });

  it('is another one once it was moved or removed', () => {
    disk.write('work/below/file', 'old');
    expect(disk.rename('work', 'kept')).toBe('moved');
    expect(disk.look('work/below/file')).toBe(null);
    disk.write('work/below/file', 'new');
    expect(disk.remove('work')).toBe(true);
    disk.write('work/below/file', 'newest');
    const texts = ['kept', 'work'].map((folder) =>
      readFileSync(join(disk.root, folder, 'below/file'), 'utf8'),
    );
    expect(texts).toEqual(['old', 'newest']);
  });

  it('is another one for every disk of the same folders', () => {
    const below = new RealDisk(join(disk.root, 'work'), null);
    below.write('below/file', 'old');
    disk.rename('work/below', 'work/kept');
    expect(below.look('below/file')).toBe(null);
    below.remove('kept');
    expect(disk.look('work/kept/file')).toBe(null);
  });

  it('stays open for a second, and never more than 128 of them', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      closeFolders();
      const count = (): number => readdirSync('/proc/self/fd').length;
      const before = count();
      const folders = Array.from({ length: 200 }, (_, index) => `many/${String(index)}`);
      for (const folder of folders) mkdirSync(join(disk.root, folder), { recursive: true });
      for (const folder of folders) disk.look(`${folder}/x`);
      expect(count() - before).toBe(128);
      await pause();
      expect(count() - before).toBe(128);
      vi.advanceTimersByTime(1_000);
      expect(count()).toBe(before);
    } finally {
      vi.useRealTimers();
    }
  });

  it('is another one after a pause where it was moved, removed or replaced meanwhile', async () => {
    const at = join(disk.root, 'work');
    const acts: (() => void)[] = [
      () => renameSync(at, join(disk.root, 'aside')),
      () => rmSync(at, { recursive: true }),
    ];
    for (const [index, act] of acts.entries()) {
      disk.write('work/file', 'old');
      await pause();
      act();
      expect(disk.look('work/file')).toBe(null);
      await pause();
      mkdirSync(at, { recursive: true });
      writeFileSync(join(at, 'file'), `new ${String(index)}`);
      expect(disk.read('work/file', 100)?.toString()).toBe(`new ${String(index)}`);
    }
  });

  it('behind a link is opened again after a pause: only the link says where it is', async () => {
    for (const name of ['one', 'two']) disk.write(`${name}/file`, name);
    symlinkSync('one', join(disk.root, 'link'));
    expect(disk.read('link/file', 100)?.toString()).toBe('one');
    await pause();
    rmSync(join(disk.root, 'link'));
    symlinkSync('two', join(disk.root, 'link'));
    expect(disk.read('link/file', 100)?.toString()).toBe('two');
  });
});

describe('names from bytes', () => {
  it.each([
    [[0x80], '\udc80'],
    [[0x61, 0xff, 0x62], 'a\udcffb'],
    [[0xc3, 0xa9], 'é'],
    [[0xc3], '\udcc3'],
    [[0xef, 0xbf, 0xbd], '\ufffd'],
    [[0xed, 0xb2, 0x80], '\udced\udcb2\udc80'],
    [[0xf0, 0x9f, 0x99, 0x82, 0xf0], '🙂\udcf0'],
  ])('%j is %j, and the other way round', (bytes, name) => {
    expect(nameFromBytes(Buffer.from(bytes))).toBe(name);
    expect(Buffer.from(pathForSystem(name))).toEqual(Buffer.from(bytes));
  });
});
