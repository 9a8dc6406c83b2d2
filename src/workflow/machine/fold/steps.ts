import { addCost, charge, dayOf, noCost } from '../../../kernel/money.ts';
import type { Cost } from '../../../kernel/cost.ts';
import type { StepPath, ProcessKey } from '../event.ts';
import { scopeOf, stepOf } from '../path.ts';
import type { Phase, RunState, Scope, StepRun } from '../state.ts';

export type In<P extends Phase['is']> = StepRun & { phase: Extract<Phase, { is: P }> };

export function isIn<P extends Phase['is']>(run: StepRun | undefined, ...phases: P[]): run is In<P> {
  return run !== undefined && (phases as string[]).includes(run.phase.is);
}

/** The current visit of a step, created when unknown. */
export function enter(state: RunState, path: StepPath): StepRun {
  const known = state.steps.get(path);
  if (known) return known;
  const run: StepRun = {
    path,
    step: stepOf(path),
    scope: scopeOf(path),
    attempt: 0,
    failures: 0,
    misses: 0,
    limits: 0,
    attempts: 0,
    iteration: 1,
    checks: 0,
    checkFailures: 0,
    crashes: 0,
    host: null,
    startedAt: null,
    settledAt: null,
    cost: noCost,
    result: null,
    summary: null,
    values: {},
    artifacts: [],
    convergence: { stage: 1, stalled: 0, last: null },
    outstanding: null,
    approvedRules: null,
    instructions: null,
    role: null,
    failedRoles: [],
    looks: {},
    open: null,
    phase: { is: 'pending' },
  };
  state.steps.set(path, run);
  return run;
}

/** Puts a step into a phase that is neither ready nor settled. */
export function put(state: RunState, run: StepRun, phase: Phase, stirs: boolean): void {
  run.phase = phase;
  state.ready.delete(run.path);
  state.active.add(run.path);
  if (stirs) state.dirty.add(run.path);
  else state.dirty.delete(run.path);
}

/** The step whose current process has this key; null: none. */
export function current(state: RunState, key: ProcessKey): In<'running' | 'checking'> | null {
  const run = state.steps.get(key.path);
  if (!isIn(run, 'running', 'checking')) return null;
  const check = run.phase.is === 'checking' ? run.checks : 0;
  const fits = run.iteration === key.iteration && run.attempt === key.attempt && check === key.check;
  return fits ? run : null;
}

/**
 * Adds the cost of a launch to the step, the enclosing bodies and the run. `provider` and `model`:
 * the agent's; `host`: the worker host that ran it, null: it ran here.
 */
export function spend(
  state: RunState,
  run: StepRun,
  cost: Cost,
  { provider, model, host }: Readonly<Record<'provider' | 'model' | 'host', string | null>>,
): void {
  run.cost = addCost(run.cost, cost);
  state.cost = addCost(state.cost, cost);
  for (const scope of scopesAround(state, run)) scope.cost = addCost(scope.cost, cost);
  if (provider === null) return;
  const step = definedAt(run.path);
  const kind = {
    day: dayOf(state.now),
    provider,
    model,
    role: null,
    run: state.given?.run ?? null,
    step,
    host,
  };
  charge(state.bills, { ...kind, launches: 1, cost });
}

/** The scope of a step and all enclosing ones, the run's last. */
export function scopesAround(state: RunState, run: { readonly scope: StepPath }): Scope[] {
  const found: Scope[] = [];
  let path: StepPath | null = run.scope;
  while (path !== null) {
    const scope: Scope | undefined = state.scopes.get(path);
    if (!scope) break;
    found.push(scope);
    path = scope.step === null ? null : scopeOf(scope.step);
  }
  return found;
}

/** `each/3/test#2` is `each/test` in the definition. */
function definedAt(path: StepPath): string {
  return path.replaceAll(/#\d+/g, '').replaceAll(/\/\d+(?=\/)/g, '');
}
