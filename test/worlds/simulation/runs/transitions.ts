import { apply } from '../../../../src/workflow/machine/apply.ts';
import type { RunEvent } from '../../../../src/workflow/machine/event.ts';
import { emptyRunState, type RunState } from '../../../../src/workflow/machine/state.ts';
import type { Machine, Standing } from '../transitions.ts';

type Section = 'Phases of a step' | 'Runs';

/** The machine of a run, as docs/contributing/states.md tells of it. */
export const runMachine: Machine<Section, RunState, RunEvent> = {
  sections: ['Phases of a step', 'Runs'],
  ending: [],
  start: emptyRunState,
  apply,
  standings: (state) => {
    const steps = new Map<string, Standing>();
    for (const [path, { phase, open }] of state.steps)
      steps.set(path, { name: phase.is, mark: phase.is === 'open' ? open : phase });
    const { status, ending, clock, paused } = state;
    const run = { name: status, mark: JSON.stringify([status, ending, clock, paused]) };
    return { 'Phases of a step': steps, Runs: new Map([['run', run]]) };
  },
};
