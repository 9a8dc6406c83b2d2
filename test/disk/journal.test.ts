import { describe, expect, it } from 'vitest';
import type { MailEvent } from '../../src/mail/machine/event.ts';
import { Journal } from '../../src/disk/journal.ts';
import { readJournal } from '../support/read-journal.ts';
import { diskFixtures, cleanUp } from './disk-fixtures.ts';
import { event, events, records } from './samples.ts';

cleanUp();

const folder = '.mailroom/journal';
const small = { segmentBytes: 1_500 };

describe.each(diskFixtures)('Journal: $name', ({ make }) => {
  it('begins empty', () => {
    const { disk } = make();
    const journal = new Journal<MailEvent>(disk);
    expect(journal.read()).toEqual({ snapshot: null, records: [], cut: null });
    expect(journal.append([])).toBe(0);
    journal.sync();
    journal.close();
    expect(disk.list(folder)).toBe(null);
  });

  it('gives back what was appended, numbered from 1, and continues after it', () => {
    const { disk } = make();
    const journal = new Journal<MailEvent>(disk);
    journal.read();
    expect(journal.append(events(1, 2))).toBe(2);
    expect(journal.append([])).toBe(2);
    journal.sync();
    expect(journal.append(events(3, 3))).toBe(3);
    journal.sync();
    journal.close();
    const again = new Journal<MailEvent>(disk);
    expect(again.read()).toEqual({ snapshot: null, records: records(1, 3), cut: null });
    again.append(events(4, 4));
    again.sync();
    expect(again.read().records).toEqual(records(1, 4));
    expect(disk.list(folder)).toEqual(['000000000001.log']);
    again.close();
  });

  it('refuses to continue when its files were removed: no one would find what it wrote', () => {
    const { disk } = make();
    const journal = new Journal<MailEvent>(disk);
    journal.read();
    journal.append(events(1, 2));
    journal.sync();
    disk.remove('.mailroom');
    const goOn = () => {
      journal.append(events(3, 3));
      journal.sync();
    };
    expect(goOn).toThrow(expect.objectContaining({ code: 'E_DISK' }));
    expect(goOn).toThrow(expect.objectContaining({ code: 'E_DISK' }));
    expect(disk.list('.mailroom')).toBe(null);
    journal.close();
  });

  it('writes lines that a person can check', () => {
    const { disk } = make();
    const journal = new Journal<MailEvent>(disk);
    journal.read();
    journal.append([{ v: 1, at: 7, type: 'projected', through: 3 }]);
    journal.sync();
    const line = '{"n":1,"event":{"v":1,"at":7,"type":"projected","through":3}}';
    expect(disk.read(`${folder}/000000000001.log`, 999)?.toString()).toBe(`f0d86658 ${line}\n`);
    journal.close();
  });

  it('refuses to be written before it was read', () => {
    const journal = new Journal<MailEvent>(make().disk);
    expect(() => journal.append(events(1, 1))).toThrowError(expect.objectContaining({ code: 'E_INTERNAL' }));
  });

  it('begins a new segment when one is full, and reads across them', () => {
    const { disk } = make();
    const journal = new Journal<MailEvent>(disk, small);
    journal.read();
    for (let n = 1; n <= 12; n += 1) journal.append(events(n, n));
    journal.sync();
    const names = disk.list(folder)?.toSorted() ?? [];
    expect(names.length).toBeGreaterThan(2);
    expect(names[0]).toBe('000000000001.log');
    expect(journal.read().records).toEqual(records(1, 12));
    journal.close();
  });

  it('replaces records by a snapshot and removes the segments before it', () => {
    const { disk } = make();
    const journal = new Journal<MailEvent>(disk, small);
    journal.read();
    for (let n = 1; n <= 12; n += 1) journal.append(events(n, n));
    const state = { map: new Map([['a', new Set([1, 2])]]), $odd: { $map: [] } };
    journal.snapshot(10, state, 10);
    journal.append(events(13, 13));
    journal.sync();
    const read = journal.read();
    expect(read).toEqual({ snapshot: { n: 10, state }, records: records(11, 13), cut: null });
    expect(disk.list(folder)).not.toContain('000000000001.log');
    expect(disk.list(folder)).toContain('000000000010.snapshot');
    journal.close();
  });

  it('keeps the segments with records after keepAfter, for those who are behind', () => {
    const { disk } = make();
    const journal = new Journal<MailEvent>(disk, small);
    journal.read();
    for (let n = 1; n <= 12; n += 1) journal.append(events(n, n));
    journal.snapshot(12, {}, 0);
    expect(readJournal<MailEvent>(disk, 0).records).toEqual(records(1, 12));
    expect(journal.read().records).toEqual([]);
    journal.snapshot(12, {}, 6);
    const behind = readJournal<MailEvent>(disk, 6).records;
    expect(behind).toEqual(records(7, 12));
    expect(disk.list(folder)).not.toContain('000000000001.log');
    journal.close();
  });

  it('gives those who read on what comes after the number they name', () => {
    const { disk } = make();
    const journal = new Journal<MailEvent>(disk, small);
    journal.read();
    for (let n = 1; n <= 12; n += 1) journal.append(events(n, n));
    expect(readJournal<MailEvent>(disk, 5).records).toEqual(records(6, 12));
    journal.snapshot(8, {}, 5);
    expect(readJournal<MailEvent>(disk).records).toEqual(records(9, 12));
    expect(readJournal<MailEvent>(disk, 5).records).toEqual(records(6, 12));
    expect(readJournal<MailEvent>(disk, 10).records).toEqual(records(11, 12));
    expect(readJournal<MailEvent>(disk, 12).records).toEqual([]);
    journal.close();
  });

  it('keeps older snapshots as long as the records can continue them', () => {
    const { disk } = make();
    const journal = new Journal<MailEvent>(disk, small);
    journal.read();
    for (let n = 1; n <= 12; n += 1) {
      journal.append(events(n, n));
      journal.snapshot(n, { n }, 0);
    }
    const snapshots = (): string[] =>
      (disk.list(folder) ?? []).filter((name) => name.endsWith('.snapshot')).toSorted();
    expect(snapshots()).toHaveLength(12);
    for (let n = 13; n <= 40; n += 1) journal.append(events(n, n));
    journal.snapshot(40, {}, 40);
    expect(snapshots()).toEqual(['000000000040.snapshot']);
    journal.close();
  });

  it('continues after a snapshot when no records follow it', () => {
    const { disk } = make();
    const journal = new Journal<MailEvent>(disk);
    journal.read();
    journal.append(events(1, 3));
    journal.snapshot(3, 'state', 3);
    journal.close();
    disk.remove(`${folder}/000000000001.log`);
    const again = new Journal<MailEvent>(disk);
    expect(again.read()).toEqual({ snapshot: { n: 3, state: 'state' }, records: [], cut: null });
    expect(again.append(events(4, 4))).toBe(4);
    again.sync();
    expect(again.read().records).toEqual(records(4, 4));
    again.close();
  });

  it('keeps long texts in blobs, once each, and puts them back', () => {
    const { disk } = make();
    const long = 'ä line of text\n'.repeat(10_000);
    const journal = new Journal<MailEvent>(disk);
    journal.read();
    journal.append([event(1, long), event(2, long), event(3, 'x'.repeat(65_536))]);
    journal.snapshot(2, { long }, 0);
    expect(disk.list('.mailroom/blobs')).toHaveLength(1);
    expect(disk.look(`${folder}/000000000001.log`)?.size).toBeLessThan(70_000);
    const read = journal.read();
    expect(read.records).toEqual([{ n: 3, event: event(3, 'x'.repeat(65_536)) }]);
    expect(read.snapshot?.state).toEqual({ long });
    expect(readJournal<MailEvent>(disk, 0).records[1]?.event).toEqual(event(2, long));
    journal.close();
  });

  it('refuses a blob that is missing or was changed', () => {
    const { disk, plant } = make();
    const journal = new Journal<MailEvent>(disk);
    journal.read();
    journal.append([event(1, 'y'.repeat(100_000))]);
    journal.sync();
    const [name] = disk.list('.mailroom/blobs') ?? [];
    plant(`.mailroom/blobs/${name}`, 'z'.repeat(100_000));
    const changed = { code: 'E_JOURNAL', message: expect.stringMatching(/was changed/) };
    expect(() => new Journal<MailEvent>(disk).read()).toThrowError(expect.objectContaining(changed));
    disk.remove(`.mailroom/blobs/${name}`);
    const missing = { code: 'E_JOURNAL', message: expect.stringMatching(/is missing/) };
    expect(() => new Journal<MailEvent>(disk).read()).toThrowError(expect.objectContaining(missing));
    journal.close();
  });

  it("does not take anybody's data for its own marks", () => {
    const { disk } = make();
    const extra = JSON.parse(
      '{"$blob":"../../etc/passwd","$map":[1],"$$set":{"$":{"$set":[]}},"__proto__":{"x":1},"constructor":2}',
    );
    const tricky = {
      ...event(1, '\ud83d lone \u2028 {"n":2,"event":{}} "$blob":'),
      notices: [{ extra }],
    } as unknown as MailEvent;
    const journal = new Journal<MailEvent>(disk);
    journal.read();
    journal.append([tricky, event(2, `\ud83d${'z'.repeat(70_000)}`)]);
    journal.sync();
    const read = journal.read().records;
    expect(read.map((record) => record.event)).toEqual([tricky, event(2, `\ud83d${'z'.repeat(70_000)}`)]);
    const [first] = read as unknown as { event: { notices: [{ extra: object }] } }[];
    expect(Object.keys(first?.event.notices[0].extra ?? {})).toEqual(Object.keys(extra));
    expect(disk.list('.mailroom/blobs')).toBe(null);
    journal.close();
  });
});
