import { describe, expect, it } from 'vitest';
import { Journal } from '../../src/disk/journal.ts';
import { MemoryDisk } from '../support/memory-disk.ts';
import type { MailroomError } from '../../src/kernel/errors.ts';
import { assertEqual, events, records } from './samples.ts';
import type { MailEvent } from '../../src/mail/machine/event.ts';

const history = records(1, 9);
const folder = '.mailroom/journal';

/** Three records in the first segment, four in the last. */
function journalDisk(): { disk: MemoryDisk; last: string; bytes: Buffer } {
  const disk = new MemoryDisk();
  const journal = new Journal<MailEvent>(disk, { segmentBytes: 1_500 });
  journal.read();
  for (let n = 1; n <= 7; n += 1) journal.append(events(n, n));
  journal.sync();
  const last = `${folder}/${disk.list(folder)?.toSorted().at(-1)}`;
  return { disk, last, bytes: disk.read(last, Infinity) ?? Buffer.alloc(0) };
}

describe('every byte of the last segment', () => {
  const { disk: original, last, bytes } = journalDisk();
  const firstInLast = Number(last.slice(-16, -4));

  it('may be where the journal was torn: what is read is a beginning of history, and it continues', () => {
    expect(firstInLast).toBeGreaterThan(1);
    let longest = 0;
    for (let length = 0; length <= bytes.length; length += 1) {
      const disk = original.clone();
      disk.plant(last, bytes.subarray(0, length));
      const journal = new Journal<MailEvent>(disk);
      const { records: read, cut } = journal.read();
      const wholeLines = bytes.subarray(0, length).toString('latin1').split('\n').length - 1;
      assertEqual(read, history.slice(0, firstInLast - 1 + wholeLines));
      assertEqual(cut === null, length === 0 || bytes[length - 1] === 10);
      const next = read.length + 1;
      assertEqual(journal.append(history.slice(next - 1, next + 1).map((record) => record.event)), next + 1);
      journal.sync();
      assertEqual(new Journal<MailEvent>(disk).read(), {
        snapshot: null,
        records: history.slice(0, next + 1),
        cut: null,
      });
      longest = Math.max(longest, read.length);
    }
    expect(longest).toBe(7);
  });

  it('may be flipped: that is found, or the last line alone is cut', () => {
    const lastLine = bytes.lastIndexOf(10, -2) + 1;
    const outcomes = { found: 0, cut: 0 };
    for (let at = 0; at < bytes.length; at += 1) {
      for (const flip of [1, 0x80, (bytes[at] ?? 0) ^ 10]) {
        if (flip === 0) continue;
        const damaged = Buffer.from(bytes);
        damaged[at] = (bytes[at] ?? 0) ^ flip;
        const disk = original.clone();
        disk.plant(last, damaged);
        const outcome = readOutcome(disk);
        outcomes[outcome] += 1;
        if (outcome === 'cut') assertEqual(at >= lastLine, true);
      }
    }
    expect(outcomes.found).toBeGreaterThan(outcomes.cut);
    expect(outcomes.cut).toBeGreaterThan(100);
  });

  function readOutcome(disk: MemoryDisk): 'found' | 'cut' {
    let read: ReturnType<Journal<MailEvent>['read']>;
    try {
      read = new Journal<MailEvent>(disk).read();
    } catch (error) {
      assertEqual((error as MailroomError).code, 'E_JOURNAL');
      return 'found';
    }
    assertEqual(read.records, history.slice(0, 6));
    assertEqual(/the last line was not whole/.test(read.cut ?? ''), true);
    return 'cut';
  }
});
