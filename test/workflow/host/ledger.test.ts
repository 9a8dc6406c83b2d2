import { expect, it } from 'vitest';
import type { RunEvent } from '../../../src/workflow/machine/event.ts';
import type { RunState } from '../../../src/workflow/machine/state.ts';
import { Journal } from '../../../src/disk/journal.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { openRunLedger } from '../../../src/workflow/host/ledger.ts';

/** A journal that keeps nothing, and how many steps each snapshot has written. */
class Counting extends Journal<RunEvent> {
  readonly snapshots: number[] = [];
  #last = 0;

  override append(events: readonly RunEvent[]): number {
    this.#last += events.length;
    return this.#last;
  }

  override sync(): void {}

  override snapshot(_last: number, state: RunState): void {
    this.snapshots.push(state.steps.size);
  }
}

it('writes of a run that grows no more in snapshots than a multiple of its steps', () => {
  const journal = new Counting(new MemoryDisk());
  const ledger = openRunLedger(journal, { now: () => 1 });
  const steps = 20_000;
  const settled = {
    reason: { why: 'condition' },
    leaves: 'satisfied',
    wakes: [],
    next: { at: 'graph' },
  } as const;
  const nothing = { type: 'readied', paths: [] } as const;
  for (let index = 0; index < steps; index += 1) {
    const path = `s${String(index)}`;
    ledger.record([{ type: 'skipped', path, ...settled }, nothing, nothing, nothing, nothing]);
    ledger.flush();
    if (ledger.snapshotDue) ledger.snapshot(null);
  }
  expect(journal.snapshots.length).toBeGreaterThan(3);
  expect(journal.snapshots.reduce((sum, each) => sum + each, 0)).toBeLessThan(3 * steps);
});
