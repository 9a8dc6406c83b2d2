import type { Journal } from '../../disk/journal.ts';
import { apply } from '../machine/apply.ts';
import type { Fact, Happening, RunEvent } from '../machine/event.ts';
import { runStateOf, type RunState } from '../machine/state.ts';
import { Ledger } from '../../host/ledger.ts';
import type { Clock } from '../../kernel/clock.ts';

type Recorded = Fact | Happening;

export type RunLedger = Ledger<RunState, RunEvent, Recorded>;

/** The number of records a snapshot writes per step. */
const recordsPerStep = 2;

/**
 * The ledger of a run. `fit`: turns an event into what may be written. Throws `E_JOURNAL`,
 * `E_DISK`.
 */
export function openRunLedger(
  journal: Journal<RunEvent>,
  clock: Clock,
  fit: (event: Recorded) => Recorded = (event) => event,
): RunLedger {
  return new Ledger(journal, clock, {
    stateOf: runStateOf,
    apply,
    stamp: (event, now): RunEvent => ({ ...fit(event), at: now }),
    suspended: (ms) => ({ type: 'suspended', ms }),
    sizeOf: ({ steps }) => recordsPerStep * steps.size,
  });
}
