import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  holderFile,
  lastRan,
  lockFile,
  notingTime,
  publishing,
  readHolder,
  removeHolder,
  writeHolder,
} from '../../src/host/holder.ts';
import { MailroomError } from '../../src/kernel/errors.ts';
import { isKernelLocked } from '../../src/host/flock.ts';
import { takeLock, tryLock } from '../../src/host/lock.ts';
import { lockNames } from '../../src/kernel/lock-names.ts';
import { keepPlaces, removeDeadPlaces } from '../../src/process/sandbox/held-places.ts';
import { runLockFile } from '../../src/workflow/files/layout.ts';
import { takeFallbackLock } from '../../src/host/fallback-lock.ts';
import { MemoryDisk } from '../support/memory-disk.ts';
import { RealDisk } from '../../src/disk/real-disk.ts';

let disk: RealDisk;
let held: string;

beforeEach(() => {
  disk = new RealDisk(mkdtempSync(join(tmpdir(), 'mailroom-lock-')));
  held = join(disk.root, '.mailroom/lock.held');
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(disk.root, { recursive: true, force: true });
});

describe('takeFallbackLock', () => {
  it('is had by one, and by the next when it was let go', async () => {
    const first = takeFallbackLock(disk);
    expect(first.held).toBe(true);
    expect(takeFallbackLock(disk)).toEqual({ held: false, reason: 'taken' });
    if (first.held) {
      await first.release();
      await first.release();
    }
    const second = takeFallbackLock(disk);
    expect(second.held).toBe(true);
    if (second.held) await second.release();
  });

  it('takes over what was abandoned over 15 s ago, and not before', async () => {
    mkdirSync(held, { recursive: true });
    utimesSync(held, new Date(Date.now() - 10_000), new Date(Date.now() - 10_000));
    expect(takeFallbackLock(disk)).toEqual({ held: false, reason: 'taken' });
    utimesSync(held, new Date(Date.now() - 16_000), new Date(Date.now() - 16_000));
    const lock = takeFallbackLock(disk);
    expect(lock.held).toBe(true);
    if (lock.held) await lock.release();
  });

  it('tells when it was lost', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const lock = takeFallbackLock(disk);
    rmSync(held, { recursive: true });
    vi.advanceTimersByTime(3_000);
    if (lock.held) await lock.lost;
    expect(lock.held).toBe(true);
    if (lock.held) await lock.release();
  });
});

describe('the holder', () => {
  it('is written down for others to read', () => {
    expect(readHolder(disk)).toBe(null);
    const told = { since: 1_700_000_000_000, triggers: true, startTime: 'boot-1' };
    const { dev, ino } = statSync(disk.root);
    const holder = {
      pid: process.pid,
      host: hostname(),
      project: { path: disk.root, folder: `${String(dev)}:${String(ino)}` },
      ...told,
      problems: [],
      held: [],
      waits: null,
      slots: null,
    };
    expect(writeHolder(disk, told)).toEqual(holder);
    expect(readHolder(disk)).toEqual(holder);
    const problems = Array.from({ length: 9 }, () => '\0'.repeat(9_999));
    const waiting = problems.concat(problems, problems).map((problem) => ({ work: 't1', problem }));
    writeHolder(disk, { ...told, problems, held: waiting });
    const longest = '\0'.repeat(300);
    expect(readHolder(disk)?.problems).toEqual(Array.from({ length: 5 }, () => longest));
    const kept = Array.from({ length: 20 }, () => ({ work: 't1', problem: longest }));
    expect(readHolder(disk)?.held).toEqual(kept);
    removeHolder(disk);
    expect(readHolder(disk)).toBe(null);
  });

  it('of a project is not that of its copy, and still that of the project where it is moved', () => {
    const place = join(disk.root, 'place');
    mkdirSync(place);
    writeHolder(new RealDisk(place), { since: 1, triggers: true, startTime: 'boot-1' });
    cpSync(place, join(disk.root, 'copy'), { recursive: true });
    renameSync(place, join(disk.root, 'moved'));
    const holders = ['copy', 'moved'].map((name) => readHolder(new RealDisk(join(disk.root, name))));
    expect(holders.map((holder) => holder?.pid)).toEqual([undefined, process.pid]);
  });

  it.each(['', 'no JSON', '[]', '{"pid":"1","host":"h","since":1}', '{"pid":1,"since":1}'])(
    'is no one where the file says %j',
    (text) => {
      const memory = new MemoryDisk();
      memory.plant('.mailroom/lock.json', text);
      expect(readHolder(memory)).toBe(null);
    },
  );
});

describe('a lock', () => {
  const outside = () => mkdtempSync(join(tmpdir(), 'mailroom-outside-'));
  const files = [lockNames.project, lockNames.start, runLockFile('a'), '.mailroom/api/lock'];
  const others: Readonly<Record<string, (path: string, elsewhere: string) => void>> = {
    'a dangling link': (path, elsewhere) => symlinkSync(join(elsewhere, 'missing'), path),
    'a relative link out': (path) => symlinkSync(`../../${basename(disk.root)}-evil`, path),
    'a link to a file outside': (path, elsewhere) => {
      writeFileSync(join(elsewhere, 'file'), 'x');
      symlinkSync(join(elsewhere, 'file'), path);
    },
    'a link to a file of the project': (path) => {
      writeFileSync(join(disk.root, 'mailroom.yaml'), '');
      symlinkSync(join(disk.root, 'mailroom.yaml'), path);
    },
    'a link to itself': (path) => symlinkSync(path, path),
    'a folder': (path) => mkdirSync(path),
    'a fifo': (path) => void execFileSync('mkfifo', [path]),
  };

  it.each(files.flatMap((file) => Object.keys(others).map((what) => [file, what] as const)))(
    '%s is not taken where %s lies in its place, which stays',
    async (file, what) => {
      const elsewhere = outside();
      const path = join(disk.root, file);
      mkdirSync(dirname(path), { recursive: true });
      others[what]!(path, elsewhere);
      const before = readdirSync(elsewhere);
      await expect(tryLock(disk, file)).rejects.toMatchObject({
        code: 'E_LOCKED',
        message: expect.stringMatching(/^\S+ cannot be locked: \S+ is a (?:link|folder|fifo.*), not a file$/),
      });
      expect(readdirSync(elsewhere)).toEqual(before);
      expect(existsSync(`${disk.root}-evil`)).toBe(false);
      expect(lstatSync(path).isFile()).toBe(false);
      if (what.includes('link')) expect(await isKernelLocked(path)).toBe(false);
      rmSync(elsewhere, { recursive: true });
    },
  );

  it.each(['.mailroom/locks', '.mailroom/api'])('is not taken in %s where that is a link', async (folder) => {
    const elsewhere = outside();
    mkdirSync(join(disk.root, 'src'));
    mkdirSync(join(disk.root, '.mailroom'));
    for (const target of [elsewhere, join(disk.root, 'src'), join(elsewhere, 'missing')]) {
      symlinkSync(target, join(disk.root, folder));
      await expect(tryLock(disk, `${folder}/a`)).rejects.toMatchObject({ code: 'E_LOCKED' });
      rmSync(join(disk.root, folder));
    }
    expect([readdirSync(elsewhere), readdirSync(join(disk.root, 'src'))]).toEqual([[], []]);
    rmSync(elsewhere, { recursive: true });
  });

  it.each(['.mailroom/control/a.json', '.Mailroom/confirmed'])(
    'of a host is not taken where git tracks %s',
    async (path) => {
      mkdirSync(join(disk.root, dirname(path)), { recursive: true });
      writeFileSync(join(disk.root, path), '');
      execFileSync('git', ['init', '-q'], { cwd: disk.root });
      const free = await takeLock(disk);
      await free.release();
      execFileSync('git', ['add', '--force', path], { cwd: disk.root });
      await expect(takeLock(disk)).rejects.toMatchObject({ code: 'E_TRACKED' });
    },
  );

  it('is taken where a project keeps its state elsewhere below it', async () => {
    mkdirSync(join(disk.root, 'state'));
    symlinkSync('state', join(disk.root, '.mailroom'));
    const lock = await tryLock(disk, lockNames.project);
    await lock?.release();
    expect(readdirSync(join(disk.root, 'state'))).toEqual(['lock']);
  });
});

describe('the record of the folders that a sandbox needs', () => {
  it('is neither written nor removed through a link in the place of its folder', () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'mailroom-outside-'));
    writeFileSync(join(elsewhere, 'kept'), 'x');
    mkdirSync(join(disk.root, '.mailroom'));
    symlinkSync(elsewhere, join(disk.root, '.mailroom/held'));
    removeDeadPlaces(disk.root);
    const refused = expect.objectContaining({ code: 'E_PATH' });
    expect(() => keepPlaces(disk.root, [join(disk.root, 'mailroom.yaml')])).toThrowError(refused);
    expect(readdirSync(elsewhere)).toEqual(['kept']);
    rmSync(elsewhere, { recursive: true });
  });
});

describe('publishing', () => {
  const note = { since: 1, triggers: true, startTime: null };
  const minute = 60_000;

  it('notes when the holder ran last, which a lock that is taken anew does not change', async () => {
    expect(lastRan(disk)).toBeNull();
    const first = await takeLock(disk);
    vi.useFakeTimers({ toFake: ['Date'] });
    const begun = Date.now();
    const noteTime = notingTime(disk);
    noteTime();
    vi.setSystemTime(begun + 5 * minute);
    noteTime();
    await first.release();
    vi.setSystemTime(begun + 8 * minute);
    const second = await takeLock(disk);
    expect(Math.abs(lastRan(disk)! - (begun + 5 * minute))).toBeLessThan(2);
    vi.setSystemTime(begun - 60 * minute);
    noteTime();
    expect(Math.abs(lastRan(disk)! - (begun - 60 * minute))).toBeLessThan(2);
    await second.release();
  });

  it('writes problems once, and stops for no error of the disk', () => {
    let problems: readonly string[] = [];
    const publish = publishing(disk, note, () => ({ problems, held: [], slots: null }));
    publish();
    // There is no file to note it by.
    notingTime(disk)();
    expect(readHolder(disk)).toBeNull();
    problems = ['the disk is full'];
    publish();
    expect(readHolder(disk)?.problems).toEqual(problems);
    removeHolder(disk);
    publish();
    expect(readHolder(disk)).toBeNull();
  });

  it('writes into the file that is there where no other can be made, as much as fits into its block', () => {
    const full = Object.create(disk, {
      write: {
        value: () => {
          throw new MailroomError('E_DISK', 'no space left on device');
        },
      },
    }) as RealDisk;
    const holds = Array.from({ length: 9 }, (_, at) => ({
      work: `t${String(at)}`,
      problem: 'x'.repeat(400),
    }));
    let problems = ['a first problem'];
    const publish = publishing(full, note, () => ({ problems, held: holds, slots: null }));
    publish();
    expect(readHolder(disk)).toBeNull();
    const others = ['a problem before', 'and another'];
    writeHolder(disk, { ...note, problems: others });
    publish();
    expect(readHolder(disk)).toMatchObject({
      problems,
      held: holds.slice(0, 3).map(({ work }) => ({ work })),
    });
    const { size } = statSync(join(disk.root, holderFile(lockFile)));
    problems = [];
    publish();
    expect(readHolder(disk)).toMatchObject({ problems });
    expect(statSync(join(disk.root, holderFile(lockFile))).size).toBe(size);
  });
});
