import type { Disk } from '../../../../src/disk/disk.ts';
import { Journal } from '../../../../src/disk/journal.ts';
import { apply } from '../../../../src/workflow/machine/apply.ts';
import type { RunEvent } from '../../../../src/workflow/machine/event.ts';
import { emptyRunState } from '../../../../src/workflow/machine/state.ts';

const commands = 5_300;
/** Older snapshots, so that one of them is replaced. */
const snapshots = new Set([100, 200]);
/** Small segments, so that some of them are replaced. */
const segmentBytes = 512 * 1024;

/** Adds commands that were refused to the journal of a run that has begun. */
export function writeLongJournal(disk: Disk, home: string): void {
  const journal = new Journal<RunEvent>(disk, { home, segmentBytes });
  let state = journal.read().records.reduce((before, { event }) => apply(before, event), emptyRunState());
  for (let number = 1; number <= commands; number += 1) {
    const id = `01700000-0000-7000-8000-${String(number).padStart(12, '0')}`;
    const refusal = { code: 'E_TARGET', text: '`one` is not a gate' } as const;
    const at = state.now;
    const event: RunEvent = { type: 'controlled', id, by: 'tester', verb: 'approve', refusal, at };
    const last = journal.append([event]);
    state = apply(state, event);
    if (snapshots.has(number)) journal.snapshot(last, state, 0);
  }
  journal.sync();
  journal.close();
}
