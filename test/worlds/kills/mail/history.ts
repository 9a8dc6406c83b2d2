import { apply } from '../../../../src/mail/machine/apply.ts';
import { stamp, type Fact, type MailEvent } from '../../../../src/mail/machine/event.ts';
import { emptyState } from '../../../../src/mail/machine/state.ts';
import { Journal } from '../../../../src/disk/journal.ts';
import { RealDisk } from '../../../../src/disk/real-disk.ts';
import type { Place } from '../place.ts';

const records = 5_300;
/** A little more than a segment takes, so that the next append begins another. */
const bytes = 8 * 1024 * 1024 + 4096;
/** Older snapshots, so that one of them is replaced. */
const snapshots = new Set([100, 200]);

/** Writes a journal of refused mail, as a controller that ran for long would have left it. */
export function seedJournal(place: Place): void {
  const journal = new Journal<MailEvent>(new RealDisk(place.root), { segmentBytes: 2 * bytes });
  journal.read();
  let state = emptyState();
  const text = 'x'.repeat(Math.ceil((2 * bytes) / records) - 300);
  for (let number = 1; number <= records; number += 1) {
    const event = stamp(fact(number, text), 1_700_000_000_000 + number, () => '');
    journal.append([event]);
    state = apply(state, event);
    if (snapshots.has(number)) journal.snapshot(number, state, 0);
  }
  journal.sync();
  journal.close();
}

/** Refused files, each followed by the record that it is shown. */
function fact(number: number, text: string): Fact {
  if (number % 2 === 0) return { type: 'projected', through: number - 1 };
  const id = `01700000-0000-7000-8000-${String(number).padStart(12, '0')}`;
  const reason = { code: 'E_MESSAGE', text: 'refused' } as const;
  return { type: 'refused', id, role: 'maker', box: 'inbox', name: 'old.md', text, reason, notices: [] };
}
