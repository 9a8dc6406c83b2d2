import type { Fact, StepPath } from '../event.ts';
import { blankResult } from '../work-result.ts';
import { pathIn, scopeOf, stepOf } from '../path.ts';
import { noCost } from '../../../kernel/money.ts';
import type { Open, RunState, Scope, StepRun } from '../state.ts';
import { clockNow } from '../clock.ts';
import { moveCounter, follow, settle, completeIfDone } from './settle.ts';
import { enter, isIn, put } from './steps.ts';
import { writeOff } from './work.ts';

type Of<T extends Fact['type']> = Extract<Fact, { type: T }>;

/** A body begins. */
export function open(state: RunState, event: Of<'opened'>): void {
  const { path, body, item, parameters, total, budget } = event;
  if (state.scopes.has(path)) return;
  const step = path === '' ? null : item === null ? path : scopeOf(path);
  const run = step === null ? undefined : state.steps.get(step);
  if (step !== null && !isIn(run, 'open')) return;
  const scope: Scope = {
    path,
    body,
    step,
    item,
    ...(run?.open?.isLast && { isLast: true }),
    parameters,
    total,
    budget,
    settled: 0,
    retries: 0,
    cost: noCost,
    ending: null,
    failed: null,
    counter: { at: 'graph' },
    entered: null,
    visits: new Map(),
    left: null,
  };
  state.scopes.set(path, scope);
  if (run?.open) {
    run.open = { ...run.open, opened: run.open.opened + 1 };
    // A lookup is valid for one iteration.
    run.looks = {};
    // A journal may end between the openings of two concurrent items.
    if (itemsToOpen(run.open) === 0) state.dirty.delete(run.path);
  }
  const skipped = { why: 'not-asked' } as const;
  for (const each of event.skips)
    settle(state, enter(state, each), {
      status: 'SKIPPED',
      class: null,
      reason: null,
      skipped,
      leaves: 'closed',
    });
  follow(state, path, event);
  // The run was cancelled before it began.
  if (path === '' && state.ending !== null) {
    scope.ending = state.ending;
    state.endingScopes.add('');
  }
}

/** How many more items of a `for_each` may start now; 0 for any other body. */
export function itemsToOpen({ items, bound, concurrency, opened, left }: Open): number {
  if (items === null || bound !== null) return 0;
  return Math.max(0, Math.min(items.length - opened, concurrency - (opened - left)));
}

/** A loop, or a sub-workflow, begins. */
export function expand(state: RunState, event: Of<'expanded'>): void {
  const { path, items, bound, concurrency, timeout, isLast, ended, keys } = event;
  const run = enter(state, path);
  if (!isIn(run, 'pending', 'waiting')) return;
  const around = state.scopes.get(run.scope);
  if (ended && around?.counter.at === 'end')
    around.counter = { ...around.counter, failed: ended, says: null };
  // The next iteration of a sub-workflow.
  if (run.open) {
    forgetBodies(state, path);
    run.result = null;
  }
  run.startedAt ??= state.now;
  run.attempt += 1;
  run.attempts += 1;
  const clockAt = clockNow(state, state.now);
  const counts = { opened: 0, left: 0, failed: null, broke: false, exit: null };
  run.open = {
    items,
    bound,
    concurrency,
    timeout,
    clockAt,
    ...counts,
    ...(isLast && { isLast }),
    ...(keys && { keys }),
  };
  run.looks = {};
  put(state, run, { is: 'open' }, true);
}

/** A sub-workflow with a check has succeeded: it is like a worker that has ended. */
export function complete(state: RunState, { path, values, artifacts }: Of<'completed'>): void {
  const run = state.steps.get(path);
  if (!isIn(run, 'open')) return;
  const durationMs = state.now - (run.startedAt ?? state.now);
  const result = { ...blankResult, exitCode: 0, values, artifacts, durationMs };
  run.result = result;
  put(state, run, { is: 'ended', result, provider: null }, true);
}

/** A body has completed. */
export function leave(state: RunState, { path, failed, broke, exits }: Of<'left'>): void {
  const scope = state.scopes.get(path);
  if (!scope || scope.left !== null) return;
  scope.left = { failed };
  state.completedScopes.delete(path);
  const run = scope.step === null ? undefined : state.steps.get(scope.step);
  if (!run || !run.open) return;
  const left = run.open.left + 1;
  const exit = run.open.exit ?? (exits ? { failed } : null);
  run.open = { ...run.open, left, failed: run.open.failed ?? failed, broke: run.open.broke || broke, exit };
  state.dirty.add(run.path);
}

/** Settles every unsettled step of an ending body. */
export function sweep(state: RunState, event: Of<'swept'>): void {
  state.endingScopes.delete(event.scope);
  const rest = { class: null, reason: null, leaves: 'closed' } as const;
  const changed = new Set<StepPath>([event.scope]);
  for (const path of event.skipped) {
    changed.add(scopeOf(path));
    settle(state, enter(state, path), { status: 'SKIPPED', skipped: { why: 'run-ended' }, ...rest });
  }
  for (const path of event.cancelled) {
    const run = enter(state, path);
    if (isIn(run, 'running')) run.attempts += 1;
    if (isIn(run, 'running', 'checking')) writeOff(state, run, event.used);
    changed.add(run.scope);
    settle(state, run, { status: 'CANCELLED', skipped: null, ...rest });
  }
  for (const path of changed) {
    const scope = state.scopes.get(path);
    if (!scope) continue;
    const { counter } = scope;
    const isOver =
      counter.at === 'step' && isIn(state.steps.get(pathIn(path, counter.step, counter.visit)), 'settled');
    if (isOver) scope.counter = { at: 'end', how: 'end', failed: null, says: null };
    const owner = scope.step === null ? undefined : state.steps.get(scope.step);
    // The enclosing step was settled in the same sweep: nothing waits for it any more.
    if (owner && owner.phase.is === 'settled') {
      if (owner.open && scope.left === null) owner.open = { ...owner.open, left: owner.open.left + 1 };
      scope.left ??= { failed: null };
      state.completedScopes.delete(path);
    } else completeIfDone(state, scope);
  }
}

/** A loop or a sub-workflow that begins again starts empty. */
function forgetBodies(state: RunState, path: StepPath): void {
  const inside = `${path}/`;
  for (const all of [state.steps, state.scopes, state.settledNeeds])
    for (const key of all.keys()) if (key.startsWith(inside)) all.delete(key);
  for (const all of [state.ready, state.active, state.dirty, state.completedScopes, state.endingScopes])
    for (const key of all) if (key === path || key.startsWith(inside)) all.delete(key);
  state.scopes.delete(path);
}

/** Visits that the definition no longer has. A sequence is then at the last one that it has. */
export function forgetSteps(state: RunState, gone: readonly StepPath[]): void {
  for (const path of gone) {
    if (state.steps.get(path)?.open) forgetBodies(state, path);
    state.steps.delete(path);
    for (const set of [state.ready, state.active, state.dirty]) set.delete(path);
  }
  const sequences = new Map<Scope, StepRun[]>();
  for (const path of gone) {
    const scope = state.scopes.get(scopeOf(path));
    if (scope?.entered) sequences.set(scope, []);
  }
  if (sequences.size === 0) return;
  for (const run of state.steps.values()) {
    const scope = state.scopes.get(run.scope);
    if (scope && !isUnreached(run)) sequences.get(scope)?.push(run);
  }
  for (const [scope, visited] of sequences) {
    const at = scope.entered && pathIn(scope.path, scope.entered.step, scope.entered.visit);
    const lost = gone.filter((path) => scopeOf(path) === scope.path);
    for (const id of new Set(lost.map(stepOf))) {
      const visits = visited.filter(({ step }) => step === id).length;
      if (visits > 0) scope.visits.set(id, visits);
      else scope.visits.delete(id);
    }
    const last = visited.at(-1);
    if (at !== null && lost.includes(at))
      scope.entered = last ? { step: last.step, visit: scope.visits.get(last.step) ?? 1 } : null;
  }
}

/** Whether a sequence never came to a step that it settled at its end or its start. */
function isUnreached({ phase }: StepRun): boolean {
  return phase.is === 'settled' && (phase.skipped?.why === 'run-ended' || phase.skipped?.why === 'not-asked');
}

/** A continuing body has not ended its loop. */
const noEnd = { failed: null, broke: false, exit: null } as const;

/** Resets the results of steps, and continues bodies. */
export function reopen(state: RunState, { steps, opens, scopes, used = [] }: Of<'reopened'>): void {
  state.rerun = null;
  for (const { path } of used) {
    const run = state.steps.get(path);
    if (isIn(run, 'running', 'checking')) writeOff(state, run, used);
  }
  for (const path of steps) {
    const run = state.steps.get(path);
    if (!run) continue;
    run.phase = { is: 'pending' };
    if (run.open) forgetBodies(state, path);
    run.open = null;
    run.looks = {};
    run.startedAt = null;
    run.settledAt = null;
    run.failures = 0;
    run.misses = 0;
    run.limits = 0;
    run.checks = 0;
    run.checkFailures = 0;
    for (const set of [state.ready, state.active, state.dirty]) set.delete(path);
  }
  for (const { path, next, total, settled, settledNeeds, dirty, failed } of scopes) {
    const scope = state.scopes.get(path);
    if (!scope) continue;
    const owner = scope.step === null ? undefined : state.steps.get(scope.step);
    if (scope.left !== null && owner?.open)
      owner.open = { ...owner.open, left: owner.open.left - 1, ...noEnd };
    scope.left = null;
    scope.ending = null;
    scope.failed = failed;
    scope.total = total;
    scope.settled = settled;
    scope.retries += 1;
    state.completedScopes.delete(path);
    for (const [each, count] of settledNeeds) state.settledNeeds.set(each, count);
    for (const each of dirty) state.dirty.add(each);
    // An edit may have made a graph of a sequence.
    scope.counter = next;
    moveCounter(state, scope, next);
    completeIfDone(state, scope);
  }
  for (const path of opens) {
    const run = state.steps.get(path);
    if (!run?.open) continue;
    run.settledAt = null;
    run.open = { ...run.open, clockAt: clockNow(state, state.now) };
    run.looks = {};
    put(state, run, { is: 'open' }, true);
  }
}
