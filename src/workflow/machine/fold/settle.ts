import type { ErrorClass } from '../../../kernel/errors.ts';
import type { Aftermath, Counter, Ending, Fact, StepPath, Wake } from '../event.ts';
import { countFailure, forgetFailures } from '../breaker.ts';
import { pathIn } from '../path.ts';
import type { Phase, RunState, Scope, StepRun } from '../state.ts';
import { enter, isIn } from './steps.ts';

type Settled = Omit<Extract<Phase, { is: 'settled' }>, 'is'>;

/** Ends a step permanently; false: it had ended already. */
export function settle(state: RunState, run: StepRun, settled: Settled): boolean {
  if (run.phase.is === 'settled') return false;
  const { path } = run;
  run.phase = { is: 'settled', ...settled };
  run.settledAt = state.now;
  state.active.delete(path);
  state.ready.delete(path);
  state.dirty.delete(path);
  state.settledNeeds.delete(path);
  const scope = state.scopes.get(run.scope);
  if (!scope) return true;
  scope.settled += 1;
  const { status, leaves, reason } = settled;
  if (status === 'FAILED' && leaves === 'closed' && reason !== null)
    scope.failed ??= { path, class: settled.class ?? 'NON_RETRYABLE', reason };
  return true;
}

/** Applies what a settled step changes for the others of its body. */
export function follow(
  state: RunState,
  path: StepPath,
  { wakes, next }: Pick<Aftermath, 'wakes' | 'next'>,
): void {
  const scope = state.scopes.get(path);
  if (!scope) return;
  for (const each of wakes) wake(state, each);
  moveCounter(state, scope, next);
  completeIfDone(state, scope);
}

/** Marks a body with nothing left to do as complete. */
export function completeIfDone(state: RunState, scope: Scope): void {
  const done = scope.total === null ? scope.counter.at === 'end' : scope.settled >= scope.total;
  if (done && scope.left === null) state.completedScopes.add(scope.path);
}

/** One more need of a step is settled; with the last one it becomes dirty. */
function wake(state: RunState, { path, of }: Wake): void {
  if (isIn(state.steps.get(path), 'settled') || state.ready.has(path)) return;
  const settled = (state.settledNeeds.get(path) ?? 0) + 1;
  if (settled < of) {
    state.settledNeeds.set(path, settled);
    return;
  }
  state.settledNeeds.delete(path);
  state.dirty.add(path);
}

/** Moves the counter of a sequence. */
export function moveCounter(state: RunState, scope: Scope, next: Counter): void {
  if (next.at === 'graph') return;
  scope.counter = next;
  if (next.at !== 'step') return;
  scope.entered = { step: next.step, visit: next.visit };
  scope.visits.set(next.step, next.visit);
  state.dirty.add(pathIn(scope.path, next.step, next.visit));
}

export function skip(state: RunState, event: Extract<Fact, { type: 'skipped' }>): void {
  const run = enter(state, event.path);
  const { reason, leaves } = event;
  if (settle(state, run, { status: 'SKIPPED', class: null, reason: null, skipped: reason, leaves }))
    follow(state, run.scope, event);
}

export function settleStep(state: RunState, event: Extract<Fact, { type: 'settled' }>): void {
  const run = enter(state, event.path);
  const provider = run.phase.is === 'ended' || run.phase.is === 'checked' ? run.phase.provider : null;
  const { status, reason, leaves } = event;
  const errorClass: ErrorClass | null = event.class;
  if (!settle(state, run, { status, class: errorClass, reason, skipped: null, leaves })) return;
  run.startedAt ??= state.now;
  run.values = event.values;
  run.artifacts = event.artifacts;
  if (event.convergence) run.convergence = event.convergence;
  state.context = { ...state.context, ...event.context };
  if (provider !== null && status === 'FAILED' && reason) countFailure(state, event.path, reason);
  if (provider !== null && status !== 'FAILED') forgetFailures(state);
  follow(state, run.scope, event);
  const { path, ends } = event;
  if (ends !== null && errorClass !== null && reason !== null)
    endBody(state, ends, { why: 'aborted', path, class: errorClass, reason });
}

/** A body starts nothing new. */
export function endBody(state: RunState, path: StepPath, ending: Ending): void {
  const scope = state.scopes.get(path);
  if (!scope || scope.left !== null || scope.ending !== null) return;
  scope.ending = ending;
  if (path === '') state.ending ??= ending;
  state.endingScopes.add(path);
}
