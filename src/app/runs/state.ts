import { apply } from '../../core/workflow/apply.ts';
import { runStateOf, type RunState } from '../../core/workflow/state.ts';
import type { Disk } from '../../store/disk.ts';
import { runReader } from '../../store/runs/run-folders.ts';

/** The fold of a run's journal now, as everybody but its host sees it. Throws `E_JOURNAL`. */
export function runState(disk: Disk, run: string): RunState {
  const { snapshot, records } = runReader(disk, run).read();
  const start = runStateOf(snapshot);
  return records.reduce((state, { event }) => apply(state, event), start);
}
