import { expect, it } from 'vitest';
import { runFolder } from '../../../src/host/run-mail.ts';
import { Journal } from '../../../src/disk/journal.ts';
import { runHistory } from '../../../src/workflow/host/run-state.ts';
import { apply } from '../../../src/workflow/machine/apply.ts';
import type { RunEvent } from '../../../src/workflow/machine/event.ts';
import { emptyRunState } from '../../../src/workflow/machine/state.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { World } from '../machine/world.ts';

const run = '01a2016e-6cf7-73bd-a8ca-4cdc87d98434';

/** A run's journal in small segments, with snapshots after these records. */
function journalOf(events: readonly RunEvent[], snapshots: readonly number[]): MemoryDisk {
  const disk = new MemoryDisk();
  const journal = new Journal<RunEvent>(disk, { home: runFolder(run), segmentBytes: 2_000 });
  journal.read();
  let state = emptyRunState();
  for (const event of events) {
    const last = journal.append([event]);
    state = apply(state, event);
    if (snapshots.includes(last)) journal.snapshot(last, state, last);
  }
  journal.sync();
  journal.close();
  return disk;
}

function longRun(): RunEvent[] {
  const world = new World('a', { given: { run } });
  const refusal = { code: 'E_TARGET', text: '`one` is not a gate' } as const;
  const at = world.state.now;
  return [
    ...world.history,
    ...Array.from({ length: 60 }, (_, index): RunEvent => {
      return {
        type: 'controlled',
        id: `command-${String(index)}`,
        by: 'tester',
        verb: 'approve',
        refusal,
        at,
      };
    }),
  ];
}

it.each([[[]], [[30]], [[30, 45]], [[20, 37, 52]]])(
  'what the journal of a run keeps leads to its state, with snapshots at %j',
  (snapshots) => {
    const events = longRun();
    const history = runHistory(journalOf(events, snapshots), run);
    expect(history.complete).toBe(snapshots.length === 0);
    expect(history.events.length).toBeGreaterThan(0);
    const last = history.events.reduce((state, event) => apply(state, event), history.before);
    expect(last).toEqual(events.reduce((state, event) => apply(state, event), emptyRunState()));
  },
);
