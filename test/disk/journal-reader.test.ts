import { describe, expect, it } from 'vitest';
import { Journal } from '../../src/disk/journal.ts';
import { JournalReader } from '../../src/disk/journal-reader.ts';
import { readJournal } from '../support/read-journal.ts';
import { MemoryDisk } from '../support/memory-disk.ts';
import { events, records } from './samples.ts';
import { restoreHint } from '../../src/disk/journal-lines.ts';
import type { MailEvent } from '../../src/mail/machine/event.ts';

const folder = '.mailroom/journal';

function written(disk: MemoryDisk): Journal<MailEvent> {
  const journal = new Journal<MailEvent>(disk, { segmentBytes: 1 });
  journal.read();
  for (let n = 1; n <= 4; n += 1) journal.append(events(n, n));
  journal.sync();
  return journal;
}

describe('a reader under whose feet the journal changes', () => {
  it.each(['000000000001.log', '000000000003.log'])('begins again when %s goes away', (name) => {
    const disk = new MemoryDisk();
    const journal = written(disk);
    disk.beforeRead = (path) => {
      if (path !== `${folder}/${name}`) return;
      disk.beforeRead = null;
      journal.snapshot(4, 'four', 4);
    };
    expect(readJournal<MailEvent>(disk)).toMatchObject({
      snapshot: { n: 4, state: 'four' },
      records: [],
      last: 4,
    });
  });

  it('begins again when the snapshot that it was about to read is replaced', () => {
    const disk = new MemoryDisk();
    const journal = written(disk);
    journal.snapshot(2, 'two', 2);
    disk.beforeRead = (path) => {
      if (!path.endsWith('.snapshot')) return;
      disk.beforeRead = null;
      journal.append(events(5, 5));
      journal.snapshot(4, 'four', 4);
    };
    expect(readJournal<MailEvent>(disk)).toMatchObject({
      snapshot: { n: 4 },
      records: records(5, 5),
      last: 5,
    });
  });

  it('gives up when the damage stays', () => {
    const disk = new MemoryDisk();
    written(disk);
    disk.remove(`${folder}/000000000002.log`);
    let looks = 0;
    disk.beforeRead = (path) => void (looks += path === folder ? 1 : 0);
    const missing = {
      code: 'E_JOURNAL',
      message: `${folder}/000000000003.log: the records from 2 to 2 are missing`,
    };
    expect(() => readJournal<MailEvent>(disk)).toThrowError(expect.objectContaining(missing));
    expect(looks).toBe(5);
  });

  it('does not try again what the disk cannot do', () => {
    const disk = new MemoryDisk();
    written(disk);
    disk.plant(`${folder}/000000000001.log`, '', 'fifo');
    let looks = 0;
    disk.beforeRead = (path) => void (looks += path === folder ? 1 : 0);
    expect(() => readJournal<MailEvent>(disk)).toThrowError(expect.objectContaining({ code: 'E_DISK' }));
    expect(looks).toBe(1);
  });

  it('advises to put one run away, where the damage is in the journal of a run', () => {
    expect(restoreHint(`.mailroom/runs/01a2/journal/000000000001.log`)).toBe(
      'restore .mailroom/runs/01a2/ from a backup, or move it away: no other run needs it',
    );
    expect(restoreHint(`${folder}/000000000001.log`)).toContain('move it away to begin anew with the mail');
  });
});

describe('the past of a journal', () => {
  const timeOf = ({ at }: MailEvent): number => at;
  const reader = (disk: MemoryDisk) => new JournalReader<MailEvent>(disk);

  /** Twelve records, one in each segment; every fourth is followed by a snapshot. */
  function long(keeps: (lastWritten: number) => boolean): MemoryDisk {
    let now = 0;
    const disk = new MemoryDisk(() => now);
    const journal = new Journal<MailEvent>(disk, { segmentBytes: 1, keeps });
    journal.read();
    for (let n = 1; n <= 12; n += 1) {
      now = n;
      journal.append(events(n, n));
      if (n % 4 === 0) journal.snapshot(n, n, n);
    }
    return disk;
  }

  it('is read from the snapshot before it, by a record and by a time', () => {
    const past = reader(long(() => true));
    expect(past.past({ record: 6 }, timeOf)).toEqual({
      n: 6,
      snapshot: { n: 4, state: 4 },
      records: records(5, 6),
    });
    expect(past.past({ record: 3 }, timeOf)).toEqual({ n: 3, snapshot: null, records: records(1, 3) });
    const { at } = events(9, 9)[0]!;
    expect(past.past({ time: at }, timeOf)).toEqual({
      n: 9,
      snapshot: { n: 8, state: 8 },
      records: records(9, 9),
    });
    expect(past.past({ time: at + 1e9 }, timeOf)).toMatchObject({ n: 12, snapshot: { n: 12 } });
  });

  it('ends where the journal does, and begins where it was kept from', () => {
    const all = reader(long(() => true));
    expect(() => all.past({ record: 13 }, timeOf)).toThrow('the journal ends with record 12');
    expect(() => all.past({ time: 0 }, timeOf)).toThrow('nothing had happened at 1970-01-01T00:00:00.000Z');
    const some = long((lastWritten) => lastWritten >= 7);
    expect(
      some
        .list(folder)
        ?.filter((name) => name.endsWith('.log'))
        .toSorted()[0],
    ).toBe('000000000007.log');
    expect(() => reader(some).past({ record: 3 }, timeOf)).toThrow(
      'the journal keeps no state before record 8',
    );
    expect(reader(some).past({ record: 9 }, timeOf)).toMatchObject({
      snapshot: { n: 8 },
      records: [{ n: 9 }],
    });
  });
});
