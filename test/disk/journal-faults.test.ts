import fc from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { Journal } from '../../src/disk/journal.ts';
import { MailroomError } from '../../src/kernel/errors.ts';
import { MemoryDisk } from '../support/memory-disk.ts';
import type { Operation } from '../support/memory-disk.ts';
import { failure } from '../support/memory-tree.ts';
import { assertEqual, event, events, records } from './samples.ts';
import type { MailEvent } from '../../src/mail/machine/event.ts';

const folder = '.mailroom/journal';

function opened(disk: MemoryDisk): Journal<MailEvent> {
  const journal = new Journal<MailEvent>(disk);
  journal.read();
  return journal;
}

describe('a journal on a failing disk', () => {
  it.each([0, 1, 9, 100, 400])('refuses everything after a write that stopped after %i bytes', (room) => {
    const disk = new MemoryDisk();
    const journal = opened(disk);
    journal.append(events(1, 1));
    journal.sync();
    disk.free = room;
    const full = {
      code: 'E_DISK',
      message: `cannot append to ${folder}/000000000001.log: no space left on device`,
    };
    expect(() => journal.append(events(2, 3))).toThrowError(expect.objectContaining(full));
    disk.free = Infinity;
    expect(() => journal.append(events(2, 2))).toThrowError(expect.objectContaining(full));
    expect(() => journal.sync()).toThrowError(expect.objectContaining(full));
    expect(() => journal.snapshot(1, {}, 1)).toThrowError(expect.objectContaining(full));
    expect(() => journal.read()).toThrowError(expect.objectContaining(full));
    journal.close();
    const again = new Journal<MailEvent>(disk);
    const read = again.read();
    expect(read.records).toEqual(records(1, 1));
    expect(read.cut === null).toBe(room === 0);
    again.append(events(2, 2));
    again.sync();
    expect(again.read()).toEqual({ snapshot: null, records: records(1, 2), cut: null });
  });

  it.each(['sync', 'syncBeside'] as const)('refuses everything after a %s that failed', async (how) => {
    const disk = new MemoryDisk();
    const journal = opened(disk);
    journal.append(events(1, 1));
    disk.before = ({ kind, path }) => {
      if (kind === 'sync') throw failure('sync', path, 'input/output error');
    };
    await expect(async () => journal[how]()).rejects.toThrow(/input\/output error/);
    disk.before = null;
    expect(() => journal.append(events(2, 2))).toThrowError(/input\/output error/);
    expect(() => journal.sync()).toThrowError(/input\/output error/);
  });

  it('writes nothing more once its host has lost the lock', () => {
    const disk = new MemoryDisk();
    let lost: MailroomError | null = null;
    const journal = new Journal<MailEvent>(disk, { gone: () => lost });
    journal.read();
    journal.append(events(1, 1));
    lost = new MailroomError('E_LOCKED', 'another process holds the lock');
    expect(() => journal.append(events(2, 2))).toThrowError(lost);
    expect(opened(disk.clone()).append([])).toBe(1);
  });

  it('says so when it cannot read', () => {
    const disk = new MemoryDisk();
    opened(disk).append(events(1, 1));
    disk.beforeRead = (path) => {
      throw failure('read', path, 'input/output error');
    };
    expect(() => new Journal<MailEvent>(disk).read()).toThrowError(
      expect.objectContaining({ code: 'E_DISK' }),
    );
  });

  it('writes an append by one call and makes it true by one sync', () => {
    const disk = new MemoryDisk();
    const journal = opened(disk);
    journal.append(events(1, 1));
    journal.sync();
    const kinds: string[] = [];
    disk.before = (operation) => void kinds.push(operation.kind);
    journal.append(events(2, 50));
    journal.append(events(51, 60));
    journal.sync();
    journal.sync();
    expect(kinds).toEqual(['append', 'append', 'sync']);
  });

  it('makes a snapshot durable, and the records in it, before it removes what it replaces', () => {
    const disk = new MemoryDisk();
    const journal = new Journal<MailEvent>(disk, { segmentBytes: 1 });
    journal.read();
    journal.append(events(1, 1));
    journal.append(events(2, 2));
    const done: string[] = [];
    disk.before = ({ kind, path, sync }) =>
      void done.push(`${kind} ${path.slice(folder.length + 1)} ${sync}`);
    journal.snapshot(2, {}, 2);
    expect(done).toEqual([
      'sync 000000000002.log false',
      'write 000000000002.snapshot true',
      'remove 000000000001.log false',
    ]);
  });

  it('keeps one file open, and none once it is closed', () => {
    const disk = new MemoryDisk();
    const journal = new Journal<MailEvent>(disk, { segmentBytes: 700 });
    for (let n = 1; n <= 8; n += 1) {
      journal.read();
      journal.append(events(n, n));
      expect(disk.openFiles).toBe(1);
    }
    journal.snapshot(8, {}, 8);
    journal.close();
    expect(disk.openFiles).toBe(0);
    expect(() => journal.append(events(9, 9))).toThrowError(/was not read before it was written/);
    disk.plant(`${folder}/000000000007.log`, 'cut off');
    journal.read();
    expect(disk.openFiles).toBe(0);
  });

  it('does not read again what a snapshot replaced', () => {
    const disk = new MemoryDisk();
    const journal = new Journal<MailEvent>(disk, { segmentBytes: 1 });
    journal.read();
    for (let n = 1; n <= 6; n += 1) journal.append(events(n, n));
    journal.snapshot(4, {}, 0);
    const read: string[] = [];
    disk.beforeRead = (path) => void read.push(path.slice(folder.length + 1));
    journal.read();
    expect(read).toEqual(['', '000000000004.snapshot', '000000000005.log', '000000000006.log']);
  });

  it('makes a blob durable before the record that names it, and a segment before its first record', () => {
    const disk = new MemoryDisk();
    const journal = opened(disk);
    const done: Operation[] = [];
    disk.before = (operation) => void done.push(operation);
    journal.append([event(1, 'x'.repeat(70_000))]);
    journal.append([event(2, 'x'.repeat(70_000))]);
    expect(done.map(({ kind, path, sync }) => [kind, path.replace(/[0-9a-f]{64}/, '<sha>'), sync])).toEqual([
      ['write', '.mailroom/blobs/<sha>', true],
      ['open', `${folder}/000000000001.log`, false],
      ['sync-folder', folder, false],
      ['sync-folder', '.mailroom', false],
      ['sync-folder', '', false],
      ['append', `${folder}/000000000001.log`, false],
      ['sync-folder', '.mailroom/blobs', false],
      ['append', `${folder}/000000000001.log`, false],
    ]);
  });
});

/** What a test does to a journal: appends of so many records, syncs, snapshots of what is synced. */
type Step = { readonly append: number } | { readonly do: 'sync' | 'snapshot' };

const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ append: fc.integer({ min: 1, max: 3 }) }) },
    { weight: 2, arbitrary: fc.constantFrom<Step>({ do: 'sync' }, { do: 'snapshot' }) },
  ),
  { minLength: 1, maxLength: 12 },
);

describe('a journal through crashes', () => {
  it.each(['append', 'sync-folder'])(
    'makes durable what it read after a host was killed before %s',
    (kind) => {
      const disk = new MemoryDisk();
      const journal = opened(disk);
      if (kind === 'append') journal.append(events(1, 3));
      disk.before = (operation) => {
        if (operation.kind === kind) throw new Error('killed');
      };
      expect(() => journal.append(events(1, 3))).toThrowError('killed');
      disk.before = null;
      disk.crash();
      const second = opened(disk);
      const last = second.append(events(4, 4));
      second.sync();
      disk.crash({ lose: 'unsynced' });
      expect(new Journal<MailEvent>(disk).read().records).toHaveLength(last);
      disk.crash();
      const third = new Journal<MailEvent>(disk);
      third.read();
      disk.crash({ lose: 'unsynced' });
      expect(new Journal<MailEvent>(disk).read().records).toHaveLength(last);
    },
  );

  it('believes nothing that a power cut could still take', () => {
    const disk = new MemoryDisk();
    opened(disk).append(events(1, 3));
    disk.crash();
    expect(opened(disk).read().records).toEqual(records(1, 3));
    disk.crash({ lose: 'unsynced' });
    expect(opened(disk).read().records).toEqual(records(1, 3));
  });

  it('keeps what was synced and nothing but a beginning of what was appended', () => {
    fc.assert(
      fc.property(
        steps,
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 0, max: 400 }),
        fc.boolean(),
        fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 1, maxLength: 4 }),
        (script, crashAt, short, power, draws) => {
          const disk = new MemoryDisk();
          const promised = runUntilCrash(disk, script, crashAt, short);
          disk.before = null;
          disk.free = Infinity;
          let draw = 0;
          const random = (): number => draws[(draw += 1) % draws.length] ?? 0;
          disk.crash(power ? { lose: 'unsynced', random } : {});
          const journal = new Journal<MailEvent>(disk, { segmentBytes: 700 });
          const { snapshot, records: read } = journal.read();
          const from = snapshot?.n ?? 0;
          const last = from + read.length;
          assertEqual(read, records(from + 1, last));
          assertEqual(snapshot?.state ?? 0, from);
          assertEqual(last >= promised.synced, true);
          assertEqual(last <= promised.appended, true);
          journal.append(events(last + 1, last + 2));
          journal.sync();
          journal.close();
          disk.crash({ lose: 'unsynced' });
          const after = new Journal<MailEvent>(disk).read();
          assertEqual(after.cut, null);
          assertEqual((after.snapshot?.n ?? 0) + after.records.length, last + 2);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

/** Runs the script until the disk's n-th change, which crashes it (or, where it appends, ends short and is full). */
function runUntilCrash(
  disk: MemoryDisk,
  script: readonly Step[],
  crashAt: number,
  short: number,
): { synced: number; appended: number } {
  const promised = { synced: 0, appended: 0 };
  let tried = 0;
  disk.before = ({ kind, number }) => {
    if (number !== crashAt) return undefined;
    if (kind === 'append') return short;
    throw new Error('crash');
  };
  try {
    const journal = new Journal<MailEvent>(disk, { segmentBytes: 700 });
    journal.read();
    for (const step of script) {
      if ('append' in step) {
        tried = promised.appended + step.append;
        promised.appended = journal.append(events(promised.appended + 1, tried));
      } else {
        if (step.do === 'sync') journal.sync();
        else journal.snapshot(promised.appended, promised.appended, promised.appended - 1);
        promised.synced = promised.appended;
      }
    }
  } catch {
    promised.appended = Math.max(promised.appended, tried);
  }
  return promised;
}
