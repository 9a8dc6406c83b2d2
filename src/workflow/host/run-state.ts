import { MailroomError } from '../../kernel/errors.ts';
import { apply } from '../machine/apply.ts';
import { runStateOf, type RunState } from '../machine/state.ts';
import type { Moment } from '../../kernel/times.ts';
import type { Disk } from '../../disk/disk.ts';
import { restoreHint } from '../../disk/journal-lines.ts';
import { runReader } from '../files/run-folders.ts';
import { runFolder } from '../../host/run-mail.ts';

/**
 * The fold of a begun run's journal, up to a moment of the past if one is given, for readers other
 * than its host. Throws `E_JOURNAL`, and `E_TARGET` where the journal does not hold the moment.
 */
export function runState(disk: Disk, run: string, moment: Moment | null = null): RunState {
  const reader = runReader(disk, run);
  const { snapshot, records } = moment === null ? reader.read() : reader.past(moment, ({ at }) => at);
  const start = runStateOf(snapshot);
  return expectBegun(
    run,
    records.reduce((state, { event }) => apply(state, event), start),
  );
}

/**
 * Throws `E_JOURNAL` for a begun run whose journal is unreadable; it only looks like a run without
 * steps.
 */
export function expectBegun(run: string, state: RunState): RunState {
  if (state.given !== null) return state;
  const folder = `${runFolder(run)}/`;
  const text = `${folder}journal/: not even the first record can be read`;
  throw new MailroomError('E_JOURNAL', text, restoreHint(folder));
}
