import { describe, expect, it } from 'vitest';
import { Journal } from '../../src/disk/journal.ts';
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
