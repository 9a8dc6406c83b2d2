import { MailroomError } from '../../kernel/errors.ts';
import { apply } from '../machine/apply.ts';
import type { RunEvent } from '../machine/event.ts';
import { emptyRunState, runStateOf, type RunState } from '../machine/state.ts';
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
  return expectBegun(run, reader.fold(start, records, apply));
}

/** The events that the journal of a run keeps, and the state before them. Throws `E_JOURNAL`. */
export function runHistory(
  disk: Disk,
  run: string,
): { readonly before: RunState; readonly events: readonly RunEvent[]; readonly complete: boolean } {
  const reader = runReader(disk, run);
  const { records } = reader.read(0);
  const eventsAfter = (n: number) => records.flatMap((each) => (each.n > n ? [each.event] : []));
  const [first] = records;
  if (first?.n === 1) return { before: emptyRunState(), events: eventsAfter(0), complete: true };
  // The oldest segment can begin before the oldest snapshot.
  const from = first === undefined ? null : Math.max(first.n - 1, reader.oldest());
  const before = runState(disk, run, from === null ? null : { record: from });
  return { before, events: eventsAfter(from ?? 0), complete: false };
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
