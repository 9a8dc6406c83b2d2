import { beforeEach, describe, expect, it } from 'vitest';
import { Journal } from '../../src/disk/journal.ts';
import { readSummary, writeSummary } from '../../src/disk/journal-summary.ts';
import type { MailEvent } from '../../src/mail/machine/event.ts';
import { MemoryDisk } from '../support/memory-disk.ts';
import { event, events } from './samples.ts';

const summary = '.mailroom/journal/summary';
const value = { roles: [{ name: 'qa', waits: [] }], now: null };

let disk: MemoryDisk;
let journal: Journal<MailEvent>;

beforeEach(() => {
  disk = new MemoryDisk();
  journal = opened(disk, events(1, 3));
});

function opened(on: MemoryDisk, first: readonly MailEvent[]): Journal<MailEvent> {
  const made = new Journal<MailEvent>(on, { segmentBytes: 700 });
  made.read();
  for (const each of first) made.append([each]);
  made.sync();
  return made;
}

describe('the summary of a journal', () => {
  it('counts for as long as the journal ends with the record that it was made at', () => {
    writeSummary(disk, 3, value);
    expect(readSummary(disk)).toEqual(value);
    journal.append(events(4, 4));
    expect(readSummary(disk)).toBeNull();
    writeSummary(disk, 4, 'newer');
    expect(readSummary(disk)).toBe('newer');
  });

  it('outlives the start of a new host and a snapshot of the same record', () => {
    writeSummary(disk, 3, value);
    journal.snapshot(3, 'state', 3);
    journal.close();
    new Journal<MailEvent>(disk).read();
    expect(readSummary(disk)).toEqual(value);
  });

  it('is not written where the journal ends elsewhere, or holds nothing', () => {
    writeSummary(disk, 2, value);
    writeSummary(disk, 4, value);
    const empty = new MemoryDisk();
    writeSummary(empty, 0, value);
    expect([disk, empty].map((each) => each.look(summary))).toEqual([null, null]);
    expect(readSummary(empty)).toBeNull();
  });

  it('does not count for another journal with as many records', () => {
    writeSummary(disk, 3, value);
    const other = new MemoryDisk();
    opened(other, [...events(1, 2), event(3, 'another text')]);
    other.write(summary, disk.read(summary, 10_000) ?? '');
    expect(readSummary(other)).toBeNull();
  });

  it('does not count behind a torn line, or when the end of the journal is lost', () => {
    const log = disk.list('.mailroom/journal')?.toSorted().at(-1) ?? '';
    writeSummary(disk, 3, value);
    const appender = disk.openAppend(`.mailroom/journal/${log}`);
    const { size } = appender;
    appender.write(Buffer.from('0badcafe {"n":4,'));
    expect(readSummary(disk)).toBeNull();
    appender.truncate(size);
    expect(readSummary(disk)).toEqual(value);
    appender.truncate(size - 1);
    expect(readSummary(disk)).toBeNull();
  });

  it('does not count when a snapshot holds more than the last record, as a power cut may leave it', () => {
    writeSummary(disk, 3, value);
    disk.write('.mailroom/journal/000000000004.snapshot', 'of a record that is lost');
    expect(readSummary(disk)).toBeNull();
  });

  it.each(['', 'no checksum', '00000000 {}\n'])('does not count when it is damaged: %j', (text) => {
    disk.write(summary, text);
    expect(readSummary(disk)).toBeNull();
  });

  it('is left alone where the last record is too long to be compared', () => {
    journal.append([{ ...event(4), text: 'x'.repeat(40_000), name: 'y'.repeat(40_000) } as MailEvent]);
    writeSummary(disk, 4, value);
    expect(disk.look(summary)).toBeNull();
  });
});
