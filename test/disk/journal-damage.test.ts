import { describe, expect, it } from 'vitest';
import type { Disk } from '../../src/disk/disk.ts';
import { Journal } from '../../src/disk/journal.ts';
import { formatLine } from '../../src/disk/journal-lines.ts';
import { JournalReader } from '../../src/disk/journal-reader.ts';
import { apply } from '../../src/mail/machine/apply.ts';
import { emptyState } from '../../src/mail/machine/state.ts';
import { Following } from '../../src/project/following.ts';
import { readJournal } from '../support/read-journal.ts';
import { diskFixtures, cleanUp } from './disk-fixtures.ts';
import { event, events, records } from './samples.ts';
import type { MailEvent } from '../../src/mail/machine/event.ts';

cleanUp();

const folder = '.mailroom/journal';
const restoring =
  'restore .mailroom/ from a backup, or move it away to begin anew with the mail that waits in the inboxes';
const first = `${folder}/000000000001.log`;

/** A journal of `count` records, each in a segment of its own where `segmentBytes` is small. */
function write(disk: Disk, count: number, segmentBytes?: number): void {
  const journal = new Journal<MailEvent>(disk, segmentBytes === undefined ? {} : { segmentBytes });
  journal.read();
  for (let n = 1; n <= count; n += 1) journal.append(events(n, n));
  journal.sync();
  journal.close();
}

function bytesOf(disk: Disk, path: string): Buffer {
  return disk.read(path, Infinity) ?? Buffer.alloc(0);
}

describe.each(diskFixtures)('a damaged journal: $name', ({ make }) => {
  const broken = (pattern: RegExp): unknown =>
    expect.objectContaining({ code: 'E_JOURNAL', message: expect.stringMatching(pattern) });

  it('cuts a torn last line off, says so, and continues', () => {
    const { disk, plant } = make();
    write(disk, 3);
    const whole = bytesOf(disk, first);
    plant(first, whole.subarray(0, -1));
    const start = whole.lastIndexOf(10, -2) + 1;
    const journal = new Journal<MailEvent>(disk);
    const cut = `${first}:3: the last line was not whole (${whole.length - 1 - start} bytes)`;
    expect(journal.read()).toEqual({ snapshot: null, records: records(1, 2), cut });
    expect(bytesOf(disk, first)).toEqual(whole.subarray(0, start));
    journal.append(events(3, 3));
    journal.sync();
    expect(journal.read()).toEqual({ snapshot: null, records: records(1, 3), cut: null });
    journal.close();
  });

  it('never writes or cuts where others read', () => {
    const { disk, plant } = make();
    write(disk, 3);
    const torn = bytesOf(disk, first).subarray(0, -5);
    plant(first, torn);
    expect(readJournal<MailEvent>(disk)).toMatchObject({ records: records(1, 2), last: 2 });
    expect(bytesOf(disk, first)).toEqual(torn);
    expect(readJournal<MailEvent>(make().disk)).toMatchObject({ snapshot: null, records: [], last: 0 });
  });

  it('starts nothing when a line that is not the last is bad', () => {
    const { disk, plant } = make();
    write(disk, 3);
    plant(first, bytesOf(disk, first).toString().replace('"n":2', '"n":4'));
    const text = /^\.mailroom\/journal\/000000000001\.log:2: the line does not match its checksum$/;
    expect(() => new Journal<MailEvent>(disk).read()).toThrowError(broken(text));
    expect(() => readJournal<MailEvent>(disk)).toThrowError(broken(text));
  });

  it.each([
    ['{"n":2', /^\.mailroom\/journal\/000000000001\.log:2: .*JSON/],
    ['{"n":2,"encoded":{"$date":1}}', /000000000001\.log:2: the journal holds a value that this version/],
    ['{"n":2,"event":null}', /000000000001\.log:2: record 2 cannot be read: /],
    ['{"n":2,"event":{"at":1,"type":"accepted"}}', /000000000001\.log:2: record 2 cannot be read: /],
  ])('names the line of a record with a valid checksum that another program wrote: %s', (json, text) => {
    const { disk, plant } = make();
    write(disk, 1);
    plant(first, `${bytesOf(disk, first).toString()}${formatLine(json)}`);
    const following = new Following(new JournalReader<MailEvent>(disk));
    const open = () => {
      const journal = new Journal<MailEvent>(disk);
      const { records: found } = journal.read();
      return journal.fold(emptyState(), found, apply);
    };
    for (const read of [open, () => following.state(), () => following.state()]) {
      expect(read).toThrowError(broken(text));
      expect(read).toThrowError(expect.objectContaining({ hint: restoring }));
    }
  });

  it.each(['x', '\n', 'x\n'])('starts nothing when a bad line is followed by %j', (rest) => {
    const { disk, plant } = make();
    write(disk, 1);
    plant(first, `${bytesOf(disk, first).toString()}bad\n${rest}`);
    expect(() => new Journal<MailEvent>(disk).read()).toThrowError(broken(/000000000001\.log:2/));
  });

  it('starts nothing when a snapshot lies where records should', () => {
    const { disk, plant } = make();
    write(disk, 2, 1);
    const journal = new Journal<MailEvent>(disk);
    journal.read();
    journal.snapshot(2, {}, 0);
    journal.close();
    plant(`${folder}/000000000002.log`, bytesOf(disk, `${folder}/000000000002.snapshot`));
    plant(`${folder}/000000000002.snapshot`, '');
    expect(() => new Journal<MailEvent>(disk).read()).toThrowError(
      broken(/000000000002\.log:1: .* not a record/),
    );
  });

  it('starts nothing when a segment before the last is torn', () => {
    const { disk, plant } = make();
    write(disk, 3, 1);
    plant(first, bytesOf(disk, first).subarray(0, -1));
    expect(() => new Journal<MailEvent>(disk).read()).toThrowError(broken(/000000000001\.log:1/));
  });

  it.each([
    ['000000000001.log', 'the records from 1 to 1 are missing'],
    ['000000000002.log', 'the records from 2 to 2 are missing'],
  ])('starts nothing when %s is gone', (name, text) => {
    const { disk } = make();
    write(disk, 3, 1);
    disk.remove(`${folder}/${name}`);
    expect(() => new Journal<MailEvent>(disk).read()).toThrowError(broken(new RegExp(text)));
  });

  it('starts nothing when a line is gone, or there twice', () => {
    const { disk, plant } = make();
    write(disk, 3);
    const lines = bytesOf(disk, first).toString().split('\n');
    plant(first, [lines[0], lines[2], ''].join('\n'));
    expect(() => new Journal<MailEvent>(disk).read()).toThrowError(
      broken(/log:2: record 2 should be here, not 3/),
    );
    plant(first, [lines[0], lines[0], ''].join('\n'));
    expect(() => new Journal<MailEvent>(disk).read()).toThrowError(
      broken(/log:2: record 2 should be here, not 1/),
    );
    plant(first, lines.join('\n'));
    plant(`${folder}/000000000003.log`, `${lines[2]}\n`);
    expect(() => new Journal<MailEvent>(disk).read()).toThrowError(
      broken(/000000000003\.log: record 3 is there twice/),
    );
  });

  it('passes a damaged snapshot over when the records are still there', () => {
    const { disk, plant } = make();
    const journal = new Journal<MailEvent>(disk, { segmentBytes: 1 });
    journal.read();
    for (let n = 1; n <= 4; n += 1) journal.append(events(n, n));
    journal.snapshot(2, 'two', 0);
    journal.snapshot(4, 'four', 0);
    journal.close();
    const newest = `${folder}/000000000004.snapshot`;
    const good = bytesOf(disk, newest);
    plant(newest, good.toString().replace('four', 'five'));
    const cut = `${newest} is damaged and was passed over`;
    const two = { snapshot: { n: 2, state: 'two' }, records: records(3, 4), cut };
    expect(new Journal<MailEvent>(disk).read()).toEqual(two);
    disk.remove(`${folder}/000000000002.snapshot`);
    expect(new Journal<MailEvent>(disk).read()).toEqual({ snapshot: null, records: records(1, 4), cut });
    disk.remove(`${folder}/000000000004.log`);
    const missing = broken(/000000000004\.snapshot: the records from 4 to 4 are missing/);
    expect(() => new Journal<MailEvent>(disk).read()).toThrowError(missing);
    plant(newest, good);
    expect(new Journal<MailEvent>(disk).read().snapshot).toEqual({ n: 4, state: 'four' });
  });

  it('starts nothing when the only snapshot is damaged and its records are gone', () => {
    const { disk, plant } = make();
    const journal = new Journal<MailEvent>(disk, { segmentBytes: 1 });
    journal.read();
    for (let n = 1; n <= 4; n += 1) journal.append(events(n, n));
    journal.snapshot(3, 'three', 3);
    journal.close();
    const bytes = bytesOf(disk, `${folder}/000000000003.snapshot`);
    for (const damaged of [bytes.subarray(0, -1), Buffer.alloc(0), Buffer.from('junk\n')]) {
      plant(`${folder}/000000000003.snapshot`, damaged);
      expect(() => new Journal<MailEvent>(disk).read()).toThrowError(
        broken(/the records from 1 to 3 are missing/),
      );
    }
  });

  it('continues in a new segment when the old one was cut below the snapshot', () => {
    const { disk, plant } = make();
    const journal = new Journal<MailEvent>(disk);
    journal.read();
    journal.append(events(1, 3));
    journal.snapshot(3, 'three', 3);
    journal.close();
    plant(first, bytesOf(disk, first).subarray(0, -9));
    const again = new Journal<MailEvent>(disk);
    expect(again.read()).toMatchObject({ snapshot: { n: 3 }, records: [] });
    again.append(events(4, 4));
    again.sync();
    expect(again.read()).toEqual({ snapshot: { n: 3, state: 'three' }, records: records(4, 4), cut: null });
    expect(disk.list(folder)).toContain('000000000004.log');
    again.close();
  });
});

describe.each(diskFixtures)('segments that a power cut brought back: $name', ({ make }) => {
  it('are no damage while the snapshot has what is missing', () => {
    const { disk, plant } = make();
    write(disk, 5, 1);
    const old = bytesOf(disk, first);
    const journal = new Journal<MailEvent>(disk, { segmentBytes: 1 });
    journal.read();
    journal.snapshot(4, 'four', 2);
    plant(first, old);
    const four = { snapshot: { n: 4, state: 'four' }, records: records(5, 5) };
    expect(journal.read()).toEqual({ ...four, cut: null });
    expect(readJournal<MailEvent>(disk, 0).records).toEqual(records(3, 5));
    plant(first, old.subarray(0, -1));
    expect(journal.read()).toEqual({ ...four, cut: null });
    expect(readJournal<MailEvent>(disk, 0).records).toEqual(records(3, 5));
    journal.close();
  });
});

describe('a reader beside the writer', () => {
  it.each(diskFixtures)(
    'sees what was added, across segments, until a snapshot replaced it: $name',
    ({ make }) => {
      const { disk, plant } = make();
      const journal = new Journal<MailEvent>(disk, { segmentBytes: 1_000 });
      const reader = new JournalReader<MailEvent>(disk);
      expect(reader.more()).toBe(null);
      journal.read();
      journal.append(events(1, 1));
      expect(reader.read().records).toEqual(records(1, 1));
      expect(reader.more()).toEqual([]);
      for (let n = 2; n <= 7; n += 1) journal.append(events(n, n));
      expect(reader.more()).toEqual(records(2, 7));
      expect(reader.more()).toEqual([]);
      for (let n = 8; n <= 15; n += 1) journal.append(events(n, n));
      journal.snapshot(15, {}, 15);
      expect(reader.more()).toBe(null);
      expect(reader.read()).toMatchObject({ snapshot: { n: 15 }, records: [], last: 15 });
      journal.append([event(16, 'z'.repeat(70_000))]);
      const [last = ''] =
        disk
          .list(folder)
          ?.filter((name) => name.endsWith('.log'))
          .toSorted()
          .slice(-1) ?? [];
      const path = `${folder}/${last}`;
      const whole = bytesOf(disk, path);
      plant(path, whole.subarray(0, -3));
      expect(reader.more()).toEqual([]);
      plant(path, whole);
      expect(reader.more()).toEqual([{ n: 16, event: event(16, 'z'.repeat(70_000)) }]);
      plant(path, Buffer.concat([whole, Buffer.from('bad\nbad\n')]));
      expect(reader.more()).toBe(null);
      journal.close();
    },
  );
});
