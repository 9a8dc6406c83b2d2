import type { Fact, RunStart, Happening, StepPath } from '../event.ts';
import type { Usage } from '../../../kernel/cost.ts';
import type { Reason } from '../../../kernel/errors.ts';
import type { WorkResult } from '../work-result.ts';
import { clockNow } from '../clock.ts';
import type { RunState } from '../state.ts';
import { enter, isIn, put, type In } from './steps.ts';
import { forgetSteps } from './bodies.ts';
import { endBody } from './settle.ts';
import { putBack, writeOff } from './work.ts';

type Of<T extends (Fact | Happening)['type']> = Extract<Fact | Happening, { type: T }>;

export function begin(state: RunState, given: RunStart): void {
  if (state.given !== null) return;
  state.given = given;
  state.status = 'RUNNING';
  state.startedAt = state.now;
  state.clock = { spent: 0, since: state.now };
}

/** After this many host deaths while a step runs, the step fails. */
const mostCrashes = 3;

/** A host continues the run. `before`: the time of the last event; nothing ran since then. */
export function resume(state: RunState, { by, used }: Of<'resumed'>, before: number): void {
  const { clock } = state;
  const spent = clock.since === null ? clock.spent : clock.spent + Math.max(0, before - clock.since);
  state.clock = { spent, since: clock.since === null ? null : state.now };
  if (state.endedAt !== null) {
    if (state.status === 'FAILED' || state.status === 'TIMED_OUT' || state.status === 'CANCELLED')
      rerun(state, []);
    return;
  }
  for (const path of state.active) {
    const run = state.steps.get(path);
    if (!isIn(run, 'running', 'checking') || (isIn(run, 'running') && isElsewhere(run))) continue;
    run.crashes = by === 'up' ? run.crashes + 1 : 0;
    if (run.crashes < mostCrashes) {
      putBack(state, run, used);
      continue;
    }
    run.crashes = 0;
    const died = diedWith(writeOff(state, run, used));
    const { provider } = run.phase;
    if (run.phase.is === 'checking') {
      const verdict = { is: 'none', reason: hostDied, final: true } as const;
      put(state, run, { is: 'checked', result: died, verdict, provider }, true);
    } else {
      run.attempts += 1;
      run.failures += 1;
      run.result = died;
      put(state, run, { is: 'ended', result: died, provider }, true);
    }
  }
}

/** Whether a step continues without the host of its run: by mail, or on a worker. */
function isElsewhere({ phase }: In<'running'>): boolean {
  return phase.posted || phase.launched !== null;
}

const hostDied: Reason = {
  code: 'E_TURN',
  text: `the program that ran this step died ${String(mostCrashes)} times while it ran`,
};

const diedWith = (usage: Usage): WorkResult => ({
  outcome: {
    is: 'failed',
    class: 'RETRYABLE_TRANSIENT',
    reason: hostDied,
    reported: null,
    until: null,
    timedOut: false,
  },
  exitCode: null,
  output: '',
  values: {},
  artifacts: [],
  usage,
  session: null,
  model: null,
  durationMs: 0,
  warnings: [],
  changed: null,
  commit: null,
});

/** An ended run continues with its unfinished steps. */
function rerun(state: RunState, paths: readonly StepPath[]): void {
  state.rerun = paths;
  state.clock = { spent: state.status === 'TIMED_OUT' ? 0 : state.clock.spent, since: state.now };
  state.status = 'RUNNING';
  state.endedAt = null;
  state.reason = null;
  state.ending = null;
  state.breaker = null;
  // The result will be another end.
  state.hooks.delete('complete');
  state.hooks.delete('failure');
}

/** A failed step runs again. */
export function retryStep(state: RunState, { path, instructions }: Of<'retried'>): void {
  const run = state.steps.get(path);
  if (!isIn(run, 'settled') || !['FAILED', 'INCOMPLETE', 'CANCELLED'].includes(run.phase.status)) return;
  if (state.endedAt === null && state.ending !== null) return;
  if (instructions !== null) enter(state, path).instructions = instructions;
  rerun(state, [path]);
}

/** The definition has changed. */
export function update(state: RunState, { steps, gone = [], limits }: Of<'updated'>): void {
  if (state.given === null) return;
  if (limits !== null) state.given = { ...state.given, ...limits };
  forgetSteps(state, gone);
  // Which needs a step waits for may have changed: `reopened` says it anew.
  state.settledNeeds.clear();
  for (const waiting of [state.ready, state.dirty])
    for (const path of waiting) if (!state.steps.has(path)) waiting.delete(path);
  rerun(state, steps);
}

/**
 * The run is asked to end; asked again, the steps that run finally end, too. A newer run waits for
 * them, and changes nothing for a run that has only these left.
 */
export function cancel(state: RunState, { by, newer }: Of<'cancelled'>): void {
  if (state.endedAt !== null || state.given === null) return;
  const ending = { why: 'cancelled', by } as const;
  const last = [...state.scopes.values()].filter(({ isLast }) => isLast);
  if (newer === undefined) for (const { path } of last) endBody(state, path, ending);
  else if (last.some(({ step }) => step?.includes('/') === false && isIn(state.steps.get(step), 'open')))
    return;
  if (state.ending !== null) return;
  state.ending = ending;
  const root = state.scopes.get('');
  if (!root) return;
  root.ending = ending;
  state.endingScopes.add('');
}

export function setClock(state: RunState, { runs }: Of<'clocked'>): void {
  if (state.endedAt !== null || runs === (state.clock.since !== null)) return;
  state.clock = { spent: clockNow(state, state.now), since: runs ? state.now : null };
}

/** Neither the timeouts of steps and of the run count it, nor the deadlines of gates. */
export function suspend(state: RunState, { ms }: Of<'suspended'>): void {
  if (state.endedAt !== null) return;
  const { since } = state.clock;
  if (since !== null) state.clock = { ...state.clock, since: Math.min(state.now, since + ms) };
  for (const path of state.active) {
    const run = state.steps.get(path);
    if (isIn(run, 'asked') && run.phase.deadline !== null)
      put(state, run, { ...run.phase, deadline: run.phase.deadline + ms }, false);
  }
}

export function close(state: RunState, { status, reason }: Of<'closed'>): void {
  if (state.endedAt !== null || state.given === null) return;
  state.status = status;
  state.reason = reason;
  state.endedAt = state.now;
  state.clock = { spent: clockNow(state, state.now), since: null };
}
