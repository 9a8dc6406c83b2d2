import type { Step } from '../model.ts';
import type { StepPath } from './event.ts';
import { isIn } from './fold/steps.ts';
import type { Launch, LaunchCheckout, TakenCommit } from './launch.ts';
import { scopeOf } from './path.ts';
import type { Rules, StepRule } from './rules.ts';
import { entered, findStep, lookUpStep, scopesOf, type StepVisit } from './scope.ts';
import type { RunState, Scope, StepRun } from './state.ts';
import type { StepCommit, WorkResult } from './work-result.ts';

/*
 * The work of steps in git: a step with a checkout begins with the commits of the steps before it.
 * Commits that others contain may be among them: git leaves those out.
 */

/** The checkout of a launch; absent: it works in the workspace of the run. */
export function checkoutOf(state: RunState, rules: Rules, visit: StepVisit): Pick<Launch, 'checkout'> {
  const { step } = visit.rule;
  const { checkout } = step;
  if (checkout === undefined) return {};
  const takes =
    checkout.merges === null
      ? commitsBefore(state, rules, visit)
      : checkout.merges.flatMap((id) => commitsNamed(state, rules, visit.scope, id));
  const result = state.steps.get(visit.path)?.result ?? null;
  const launch: LaunchCheckout = {
    name: checkoutName(checkout.per === 'item' ? itemAround(state, rules, visit.scope) : visit.path),
    edits: mayCommit(step),
    takes,
    last: result?.commit?.id ?? null,
    merges: checkout.merges !== null,
    conflict: conflictIn(result),
  };
  return { checkout: launch };
}

function conflictIn(result: WorkResult | null): string | null {
  if (result === null || result.outcome.is === 'done') return null;
  const { code, text } = result.outcome.reason;
  return code === 'E_CONFLICT' ? text : null;
}

/** The end of the names of a checkout and a branch. */
export function checkoutName(path: StepPath): string {
  // `/` would make a folder of branches; `+` is in no name of a step.
  return path.replaceAll(/#\d+/g, '').replaceAll('/', '+');
}

/** Whether what a step changes in its checkout is committed. */
function mayCommit({ work }: Step): boolean {
  const capabilities = work.kind === 'agent' || work.kind === 'script' ? work.capabilities : null;
  if (work.kind === 'command') return work.capabilities?.includes('EDIT') ?? true;
  return capabilities?.includes('EDIT') ?? true;
}

/** The item of the nearest enclosing loop whose items have checkouts. */
function itemAround(state: RunState, rules: Rules, from: Scope): StepPath {
  for (let scope: Scope | undefined = from; scope !== undefined && scope.step !== null;) {
    const work = findStep(state, rules, scope.step)?.rule.step.work;
    if (work?.kind === 'for-each' && work.isolated === true) return scope.path;
    scope = state.scopes.get(scopeOf(scope.step));
  }
  return from.path;
}

/** The commits of the steps that a step depends on, directly or through steps without commits. */
export function commitsBefore(state: RunState, rules: Rules, { scope, rule }: StepVisit): TakenCommit[] {
  const own =
    rule.body.body.kind === 'sequence'
      ? commitsIn(state, rules, scope.path)
      : commitsOfNeeds(state, rules, scope, rule);
  if (own.length > 0 || scope.step === null) return own;
  const owner = findStep(state, rules, scope.step);
  if (owner === null) return own;
  const isRound = owner.rule.step.work.kind === 'while' && scope.item !== null && scope.item.index > 0;
  const round = isRound ? commitsIn(state, rules, `${scope.step}/${String(scope.item.index - 1)}`) : [];
  return round.length > 0 ? round : commitsBefore(state, rules, owner);
}

function commitsOfNeeds(
  state: RunState,
  rules: Rules,
  scope: Scope,
  { step, body }: StepRule,
): TakenCommit[] {
  const found: TakenCommit[] = [];
  const seen = new Set(step.needs.map((need) => need.step));
  for (const id of seen) {
    const run = entered(state, scope, id);
    const made = run === undefined ? [] : commitsOf(state, rules, run);
    found.push(...made);
    const further = made.length > 0 ? [] : (body.steps.get(id)?.step.needs ?? []);
    for (const need of further) seen.add(need.step);
  }
  return found;
}

/** The commits of a step that a name means here. */
function commitsNamed(state: RunState, rules: Rules, scope: Scope, id: string): TakenCommit[] {
  const run = lookUpStep(state, rules, scope, id)?.run;
  return run === undefined ? [] : commitsOf(state, rules, run);
}

/** What a step has left in git, or the steps in it. */
function commitsOf(state: RunState, rules: Rules, run: StepRun): TakenCommit[] {
  if (run.open !== null) return scopesOf(run).flatMap((path) => commitsIn(state, rules, path));
  const commit = commitOf(run);
  return commit === null ? [] : [{ commit: commit.id, branch: commit.branch, step: run.path }];
}

/** What a step that succeeded has left in git itself; null: nothing. */
export function commitOf(run: StepRun): StepCommit | null {
  const isOver = isIn(run, 'settled') && ['SUCCEEDED', 'INCOMPLETE'].includes(run.phase.status);
  return isOver ? (run.result?.commit ?? null) : null;
}

/** The commits of the steps of one body; of a sequence the last ones, which contain the others. */
function commitsIn(state: RunState, rules: Rules, path: StepPath): TakenCommit[] {
  const isSequence = rules.bodies.get(state.scopes.get(path)?.body ?? '')?.body.kind === 'sequence';
  // In the order in which they were entered.
  const made = [...state.steps.values()]
    .filter(({ scope }) => scope === path)
    .map((run) => commitsOf(state, rules, run));
  return isSequence ? (made.findLast((commits) => commits.length > 0) ?? []) : made.flat();
}
