import type { Counter, Fact, StepPath, ReopenedScope } from '../event.ts';
import { isIn, type In } from '../fold/steps.ts';
import { itemScope, pathIn, scopeOf, stepOf } from '../path.ts';
import type { BodyRule, Rules, StepRule } from '../rules.ts';
import type { RunState, Scope, StepRun } from '../state.ts';
import { nextAfter, type DecisionContext } from './context.ts';

/** What must run again besides unfinished steps. */
interface Wanted {
  /** Steps that start anew, whatever their result. */
  readonly forced: ReadonlySet<StepPath>;
  /** The enclosing loops and sub-workflows, which continue. */
  readonly owners: ReadonlySet<StepPath>;
}

/** What starts again: steps from their start, and loops, sub-workflows and bodies that continue. */
interface Plan {
  readonly steps: StepPath[];
  readonly opens: StepPath[];
  readonly scopes: ReopenedScope[];
}

/**
 * What runs again on a resume: all unfinished steps and, if steps are named, these and their
 * dependents.
 */
export function rerun(context: DecisionContext): Fact[] {
  const { state } = context;
  const { rerun: paths } = state;
  if (paths === null) return [];
  const root = state.scopes.get('');
  if (!root) return [{ type: 'reopened', steps: [], opens: [], scopes: [] }];
  return [{ type: 'reopened', ...planned(context, root, wantedBy(context, paths)) }];
}

/** A body continues with its unfinished steps. */
export function reopened(context: DecisionContext, scope: Scope): Fact {
  return { type: 'reopened', ...planned(context, scope, { forced: new Set(), owners: new Set() }) };
}

/** What runs again in a body and its inner bodies: all unfinished steps, and those requested. */
function planned(context: DecisionContext, scope: Scope, wanted: Wanted): Plan {
  const plan: Plan = { steps: [], opens: [], scopes: [] };
  planScope(context, scope, wanted, plan);
  return plan;
}

/** Steps and all that follow them, in their own and in enclosing bodies. */
export function wantedBy(
  { state, rules }: Pick<DecisionContext, 'state' | 'rules'>,
  paths: readonly StepPath[],
): Wanted {
  const wanted = { forced: new Set<StepPath>(paths), owners: new Set<StepPath>() };
  for (const path of paths) want(state, rules, path, wanted);
  return wanted;
}

function want(
  state: RunState,
  rules: Rules,
  path: StepPath,
  { forced, owners }: { forced: Set<StepPath>; owners: Set<StepPath> },
): void {
  for (let at: StepPath | null = path; at !== null;) {
    const scope = state.scopes.get(scopeOf(at));
    const body = scope && rules.bodies.get(scope.body);
    const rule = body?.steps.get(stepOf(at));
    if (!scope || !rule) break;
    for (const after of afterwards(rule)) forced.add(pathIn(scope.path, after.step.id));
    if (scope.step !== null) owners.add(scope.step);
    at = scope.step;
  }
}

/** All steps of the same body that depend on one, directly or indirectly. */
function afterwards(rule: StepRule): Set<StepRule> {
  const all = new Set<StepRule>();
  const waiting = [...rule.dependents];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (all.has(next)) continue;
    all.add(next);
    waiting.push(...next.dependents);
  }
  return all;
}

/** Whether a step's result is kept, so that it does not run again. */
export function isKept(run: StepRun): boolean {
  if (!isIn(run, 'settled')) return false;
  const { status, leaves, skipped } = run.phase;
  switch (status) {
    case 'SUCCEEDED':
    case 'INCOMPLETE':
      return true;
    case 'FAILED':
      return leaves === 'satisfied';
    case 'SKIPPED':
      return skipped?.why === 'condition' || skipped?.why === 'failed' || skipped?.why === 'not-asked';
    case 'CANCELLED':
      return false;
  }
}

/** What happens to a step when its body continues. */
type Reopening = 'kept' | 'continues' | 'again';

function reopeningOf(context: DecisionContext, path: StepPath, wanted: Wanted, plan: Plan): Reopening {
  const run = context.state.steps.get(path);
  if (wanted.forced.has(path)) {
    if (run) plan.steps.push(path);
    return 'again';
  }
  if (!run) return 'again';
  if (!wanted.owners.has(path) && isKept(run)) return 'kept';
  if (run.open === null && !isIn(run, 'settled', 'pending')) return 'continues';
  // What its check found incomplete is done again as a whole.
  const isIncomplete = isIn(run, 'settled') && run.phase.reason?.code === 'E_INCOMPLETE';
  const isJudged = isIncomplete && run.open?.failed === null && run.open.items === null;
  if (run.open === null || isJudged) {
    plan.steps.push(path);
    return 'again';
  }
  const { items, opened } = run.open;
  for (let index = 0; index < opened; index += 1) {
    const inner = context.state.scopes.get(items === null ? path : itemScope(path, index));
    if (inner) planScope(context, inner, wanted, plan);
  }
  plan.opens.push(path);
  return 'continues';
}

/** Plans one body; a body in which every step is kept stays unchanged. */
function planScope(context: DecisionContext, scope: Scope, wanted: Wanted, plan: Plan): void {
  const body = context.rules.bodies.get(scope.body);
  if (!body) return;
  if (body.body.kind === 'sequence') return planSequence(context, scope, wanted, plan);
  const reopenings = new Map<StepRule, Reopening>();
  const only = scope.path === '' ? (context.state.given?.only ?? null) : null;
  const rules = [...body.steps.values()].filter(
    (rule) => rule !== body.last && (only === null || rule.step.id === only),
  );
  for (const rule of rules)
    reopenings.set(rule, reopeningOf(context, pathIn(scope.path, rule.step.id), wanted, plan));
  const kept = [...reopenings.values()].filter((each) => each === 'kept').length;
  const isSame = kept === reopenings.size;
  const isDone = planLast(context, scope, body, { wanted, plan, isSame });
  if (isSame && isDone && scope.left?.failed === null && scope.path !== '') return;
  plan.scopes.push({
    path: scope.path,
    next: { at: 'graph' },
    total: reopenings.size,
    settled: kept,
    failed: null,
    ...waitingIn(scope, body, reopenings),
  });
}

/**
 * Plans the steps that run finally: all of them where another step of the body runs again. Returns
 * whether they are over, and kept.
 */
function planLast(
  context: DecisionContext,
  scope: Scope,
  { last }: BodyRule,
  { wanted, plan, isSame }: { wanted: Wanted; plan: Plan; isSame: boolean },
): boolean {
  if (last === null) return true;
  const path = pathIn(scope.path, last.step.id);
  const forced = isSame ? wanted.forced : new Set([...wanted.forced, path]);
  return reopeningOf(context, path, { ...wanted, forced }, plan) === 'kept';
}

/** The steps to enter: those that wait for others, and those that wait for nothing. */
function waitingIn(
  scope: Scope,
  body: BodyRule,
  reopenings: ReadonlyMap<StepRule, Reopening>,
): Pick<ReopenedScope, 'settledNeeds' | 'dirty'> {
  const settledNeeds: (readonly [StepPath, number])[] = [];
  const dirty: StepPath[] = [];
  for (const [rule, how] of reopenings) {
    if (how !== 'again') continue;
    const path = pathIn(scope.path, rule.step.id);
    const needed = new Set(rule.step.needs.map(({ step }) => step));
    let settled = 0;
    for (const id of needed) {
      const need = body.steps.get(id);
      if (need && reopenings.get(need) === 'kept') settled += 1;
    }
    if (settled >= needed.size) dirty.push(path);
    else if (settled > 0) settledNeeds.push([path, settled]);
  }
  return { settledNeeds, dirty };
}

/**
 * A sequence continues with its last step: after it if finished, inside it if it is a loop or a
 * sub-workflow, else with another visit of it.
 */
function planSequence(context: DecisionContext, scope: Scope, wanted: Wanted, plan: Plan): void {
  const { entered, left } = scope;
  const body = context.rules.bodies.get(scope.body);
  const [first] = body?.body.steps ?? [];
  if (!body) return;
  if (entered === null) {
    if (first)
      plan.scopes.push({ ...continuing(scope, { at: 'step', step: first.id, visit: 1 }), settled: 0 });
    return;
  }
  const path = pathIn(scope.path, entered.step, entered.visit);
  const run = context.state.steps.get(path);
  const wants = wanted.forced.has(path) || wanted.owners.has(path);
  const rule = body.steps.get(entered.step);
  const next = !wants && rule && isIn(run, 'settled') && isKept(run) ? nextOf(scope, rule, run) : null;
  const isSame = next?.at === 'end' && next.failed === null;
  const isLastDone = planLast(context, scope, body, { wanted, plan, isSame });
  const isOver = isLastDone && scope.path !== '' && left?.failed === null;
  if (isSame && isOver) return;
  if (next !== null) return void plan.scopes.push({ ...continuing(scope, next), settled: scope.settled });
  const owners = new Set([...wanted.owners, path]);
  const forced = run?.open == null ? new Set([...wanted.forced, path]) : wanted.forced;
  reopeningOf(context, path, { forced, owners }, plan);
  const settled = Math.max(0, scope.settled - (isIn(run, 'settled') ? 1 : 0));
  plan.scopes.push({ ...continuing(scope, { at: 'step', ...entered }), settled });
}

/** Where a sequence continues after a step that is kept; null: with this step again. */
function nextOf(scope: Scope, rule: StepRule, { phase }: In<'settled'>): Counter | null {
  const { counter } = scope;
  const chooses = rule.step.work.kind === 'route';
  const isFailed = phase.status === 'FAILED';
  // Where it led is known: a route, or an iteration in it, has chosen an end.
  const isChosen = counter.at === 'end' && (chooses || isFailed || counter.how !== 'end');
  if (isChosen && counter.failed === null) return counter;
  // A way to a failure is chosen again.
  return chooses || isFailed ? null : nextAfter(scope, rule);
}

function continuing({ path }: Scope, next: Counter): Omit<ReopenedScope, 'settled'> {
  return { path, next, total: null, settledNeeds: [], dirty: [], failed: null };
}
