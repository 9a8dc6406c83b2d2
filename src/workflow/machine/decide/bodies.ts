import { unlimited } from '../../../kernel/money.ts';
import { counted } from '../../../kernel/enumerate.ts';
import type { Json, JsonObject } from '../../../kernel/json.ts';
import { ownValue, setOwn } from '../../../kernel/own.ts';
import { clockNow } from '../clock.ts';
import type { Counter, Fact, Failure, StepPath, Wake } from '../event.ts';
import type { ArtifactRecord } from '../work-result.ts';
import { failureOf, finalStatus, type SettledScope } from '../final-status.ts';
import { itemsToOpen } from '../fold/bodies.ts';
import { isIn } from '../fold/steps.ts';
import { attempt, evaluationOf } from '../resolve.ts';
import { itemScope, pathIn } from '../path.ts';
import type { BodyRule } from '../rules.ts';
import type { Evaluation } from '../evaluation.ts';
import {
  byKey,
  entered as currentOf,
  errorsOf,
  namedReason,
  filesSeen,
  loopOf,
  scopesOf,
  type StepVisit,
} from '../scope.ts';
import type { Open, RunState, Scope, StepRun } from '../state.ts';
import { exit, fail, found, isEnding, isFinishing, succeed, type DecisionContext } from './context.ts';
import { reopened } from './reopen.ts';
import { failUnresolved } from './entering.ts';
import { withDefaults } from '../values.ts';

/** Opens the run's own body. */
export function openRun({ state, rules }: DecisionContext): Fact[] {
  if (state.scopes.has('')) return [];
  const { root } = rules;
  const only = state.given?.only ?? null;
  const begin = beginning(root, '');
  const base = {
    type: 'opened',
    path: '',
    body: '',
    item: null,
    parameters: null,
    budget: unlimited,
  } as const;
  if (only === null) return [{ ...base, ...begin, skips: [] }];
  const skips = [...root.steps.keys()].filter((id) => id !== only);
  if (root.body.kind === 'sequence')
    return [{ ...base, total: null, wakes: [], next: { at: 'step', step: only, visit: 1 }, skips }];
  return [{ ...base, total: root.steps.size, wakes: [{ path: only, of: 1 }], next: { at: 'graph' }, skips }];
}

/** The first steps of a body: those without needs, or the first of a sequence. */
function beginning(
  { body, steps, roots, last }: BodyRule,
  scope: StepPath,
): { total: number | null; wakes: readonly Wake[]; next: Counter } {
  if (body.kind === 'graph')
    return {
      total: steps.size - (last === null ? 0 : 1),
      wakes: roots.map(({ step }) => ({ path: pathIn(scope, step.id), of: 1 })),
      next: { at: 'graph' },
    };
  const [first] = body.steps;
  const next: Counter = first
    ? { at: 'step', step: first.id, visit: 1 }
    : { at: 'end', how: 'end', failed: null, says: null };
  return { total: null, wakes: [], next };
}

/** The next action of an open loop or sub-workflow: it opens bodies, ends, or waits for bodies. */
export function continueBody(context: DecisionContext, entered: StepVisit, run: StepRun): Fact[] {
  const { state } = context;
  const { open } = run;
  if (open === null) return [];
  if (open.isLast !== true && isEnding(state, entered.scope)) return endHeld(state, entered, open);
  if (open.exit !== null) return leaveAll(context, entered, run, { ...open, exit: open.exit });
  const failure = failureIn(context, entered, open);
  const stopped = failure !== null && !continuesAfter(entered, failure);
  if (stopped && open.left < open.opened) return endOthers(context, run, failure);
  const ended = stopped || open.broke;
  if (open.bound !== null && !ended)
    return open.left < open.opened ? [] : nextRound(context, entered, run, open);
  const done = ended || open.opened === (open.items?.length ?? 1);
  if (!done) return openNext(context, entered, run, open);
  if (open.left < open.opened) return [];
  if (failure !== null) {
    return failWithItems(context, entered, run, withStep(state, failure, run.path));
  }
  const { values, artifacts } = outputOfBodies(context, entered, run);
  if (entered.rule.step.check !== null && !Array.isArray(values))
    return [{ type: 'completed', path: run.path, values, artifacts }];
  return [succeed(entered, 'SUCCEEDED', { values, artifacts, convergence: null })];
}

/** A step that its ending body has waited for: something in it ran finally, and is over. */
function endHeld({ endingScopes }: RunState, { scope, path }: StepVisit, { opened, left }: Open): Fact[] {
  if (endingScopes.size > 0 || left < opened) return [];
  return [{ type: 'swept', scope: scope.path, skipped: [], cancelled: [path] }];
}

/** An iteration ended the whole sequence: the loop ends once the other iterations have. */
function leaveAll(
  context: DecisionContext,
  entered: StepVisit,
  run: StepRun,
  open: Open & { readonly exit: { readonly failed: Failure | null } },
): Fact[] {
  const { failed } = open.exit;
  const over = { code: 'E_CANCELLED', text: `${entered.path} is over` } as const;
  const rest = failed ?? { path: entered.path, class: 'NON_RETRYABLE', reason: over };
  if (open.left < open.opened) return endOthers(context, run, rest);
  const named = failed && withStep(context.state, failed, run.path);
  return exit(entered, named, { ...outputOfBodies(context, entered, run), convergence: null });
}

/** A failure as reported by the step that owns the body: its reason names the failed inner step. */
function withStep(state: RunState, failure: Failure, around: StepPath): Failure {
  const { path, reason } = failure;
  if (path === around) return failure;
  return { ...failure, reason: { ...reason, text: namedReason(state, path, reason.text) } };
}

/**
 * A body, or an item, failed. Where the other items were run nevertheless, the loop says how many
 * failed; with keys it hands on what the others gave.
 */
function failWithItems(context: DecisionContext, entered: StepVisit, run: StepRun, failure: Failure): Fact[] {
  const { reason } = failure;
  const timedOut = reason.code === 'E_TIMEOUT';
  const errors = errorsOf(context.state, run);
  const failed = errors.filter((each) => each !== null).length;
  if (failed === 0 || errors.length === 1 || !continuesAfter(entered, failure))
    return fail(entered, { ...failure, timedOut });
  const text = `${String(failed)} of ${counted(errors.length, 'item')} failed, first ${reason.text}`;
  const facts = fail(entered, { ...failure, reason: { ...reason, text }, timedOut });
  if (run.open?.keys === undefined) return facts;
  const { values } = outputOfBodies(context, entered, run);
  return facts.map((fact) => (fact.type === 'settled' ? { ...fact, values } : fact));
}

/** Another iteration of a loop, if its condition still holds. */
function nextRound(context: DecisionContext, entered: StepVisit, run: StepRun, open: Open): Fact[] {
  const { inner, step, at } = entered.rule;
  if (inner === null || step.work.kind !== 'while') return [];
  const { condition, maxIterations } = step.work;
  const holds = attempt(() => roundEvaluation(context, entered, run, open).condition(condition));
  if (!holds.ok) return failUnresolved(entered, holds.why);
  if (!holds.value)
    return [succeed(entered, 'SUCCEEDED', { ...outputOfBodies(context, entered, run), convergence: null })];
  if (open.opened >= maxIterations) {
    const text = `the condition still holds after ${counted(maxIterations, 'iteration')}`;
    return fail(entered, { class: 'NON_RETRYABLE', reason: { code: 'E_INCOMPLETE', text }, timedOut: false });
  }
  const path = itemScope(run.path, open.opened);
  const item = { index: open.opened, value: null };
  const base = { type: 'opened', path, body: at, item, parameters: null, skips: [] } as const;
  return [{ ...base, budget: step.budget ?? unlimited, ...beginning(inner, path) }];
}

/** What a loop's condition sees: the steps of the last iteration, and the number of iterations. */
function roundEvaluation(
  { state, rules }: DecisionContext,
  entered: StepVisit,
  run: StepRun,
  open: Open,
): Evaluation {
  const last = open.opened === 0 ? undefined : state.scopes.get(itemScope(run.path, open.opened - 1));
  const loop = { ...loopOf(state, run, open.opened), iteration: open.opened };
  return evaluationOf(state, rules, last ? { ...entered, scope: last } : entered).with({
    loop,
    ...filesSeen(state, run.path),
  });
}

/** The first failure in its bodies, or its timeout. */
function failureIn({ state, now }: DecisionContext, { path, rule }: StepVisit, open: Open): Failure | null {
  if (open.failed !== null) return open.failed;
  // What runs finally has its own time.
  if (rule.inner !== null && isFinishing(state, rule.inner, path)) return null;
  if (open.timeout === null || clockNow(state, now) - open.clockAt < open.timeout) return null;
  return timeUp(path);
}

function timeUp(path: StepPath): Failure {
  return {
    path,
    class: 'RETRYABLE_TRANSIENT',
    reason: { code: 'E_TIMEOUT', text: `\`${path}\` timed out` },
  };
}

/** Whether a loop starts further items after one failed. */
function continuesAfter({ rule, path }: StepVisit, failure: Failure): boolean {
  const lenient = ['continue', 'skip', 'skip-dependents'].includes(rule.step.onFailure);
  return (
    rule.step.work.kind === 'for-each' &&
    lenient &&
    failure.class !== 'FATAL' &&
    // The loop timed out, not an item.
    failure.path !== path
  );
}

/** Ends the bodies that are still open once one failure fails them all. */
function endOthers({ state }: DecisionContext, run: StepRun, failure: Failure): Fact[] {
  const ending = { why: 'aborted', ...failure } as const;
  return scopesOf(run).flatMap((path): Fact[] => {
    const scope = state.scopes.get(path);
    return scope && scope.left === null && scope.ending === null
      ? [{ type: 'ending', scope: path, ending }]
      : [];
  });
}

function openNext(context: DecisionContext, entered: StepVisit, run: StepRun, open: Open): Fact[] {
  const { inner, step, at } = entered.rule;
  if (inner === null) return [];
  const { path } = run;
  if (open.items === null) return openChild(context, entered, inner);
  const last = open.opened + itemsToOpen(open);
  const facts: Fact[] = [];
  for (let index = open.opened; index < last; index += 1) {
    const scope = itemScope(path, index);
    const item = { index, value: open.items[index] ?? null };
    const begin = beginning(inner, scope);
    const budget = step.budget ?? unlimited;
    facts.push({
      type: 'opened',
      path: scope,
      body: at,
      item,
      parameters: null,
      budget,
      ...begin,
      skips: [],
    });
  }
  return facts;
}

function openChild({ state, rules }: DecisionContext, entered: StepVisit, inner: BodyRule): Fact[] {
  const { path, rule } = entered;
  const { work } = rule.step;
  const base = {
    type: 'opened',
    path,
    body: rule.at,
    item: null,
    skips: [],
    ...beginning(inner, path),
  } as const;
  if (work.kind === 'finally') return [{ ...base, parameters: null, budget: unlimited }];
  if (work.kind !== 'workflow') return [];
  const given = attempt(() => {
    const evaluation = evaluationOf(state, rules, entered);
    const entries = Object.entries(work.with).map(
      ([name, template]) => [name, evaluation.render(template)] as const,
    );
    // Absent arguments are left out.
    return withDefaults(
      work.workflow.parameters,
      Object.fromEntries(entries.filter(([, value]) => value !== null)),
    );
  });
  if (!given.ok) return failUnresolved(entered, given.why);
  const { values: parameters, problems } = given.value;
  if (problems.length > 0) {
    const text = `the parameters do not fit: ${problems.join('; ')}`;
    return fail(entered, { class: 'NON_RETRYABLE', reason: { code: 'E_OUTPUT', text }, timedOut: false });
  }
  return [{ ...base, parameters, budget: work.workflow.budget }];
}

/** The outputs of a finished loop or sub-workflow. */
function outputOfBodies(
  context: DecisionContext,
  entered: StepVisit,
  run: StepRun,
): { values: JsonObject | Json[]; artifacts: ArtifactRecord[] } {
  const { inner, step } = entered.rule;
  const scopes = scopesOf(run).map((path) => context.state.scopes.get(path));
  if (inner === null || step.work.kind === 'finally') return { values: {}, artifacts: [] };
  if (step.work.kind !== 'workflow') {
    const only = step.work.kind === 'for-each' ? step.work.gives : undefined;
    const valuesOf = (scope: Scope): Json => {
      const values = valuesIn(context, scope, inner);
      return only === undefined ? values : (ownValue(values, only) ?? null);
    };
    const keys = run.open?.keys;
    const values = scopes.map((scope) => (scope && !(keys && scope.left?.failed) ? valuesOf(scope) : null));
    return { values: byKey(run.open, values), artifacts: [] };
  }
  const [scope] = scopes;
  if (!scope) return { values: {}, artifacts: [] };
  const artifacts = step.work.exports.flatMap(({ from, artifact, as }) => {
    const made = currentOf(context.state, scope, from)?.artifacts.find(({ name }) => name === artifact);
    const rest = made?.path.slice(made.name.length) ?? '';
    return made ? [{ name: as, path: `${as}${rest}`, type: made.type }] : [];
  });
  return { values: valuesIn(context, scope, inner), artifacts };
}

/** The values of a body's steps: by step, and by their own name where no step has that name. */
function valuesIn({ state }: DecisionContext, scope: Scope, inner: BodyRule): JsonObject {
  const byStep: JsonObject = {};
  const byName: JsonObject = {};
  for (const id of inner.steps.keys()) {
    const run = currentOf(state, scope, id);
    if (!run || !isIn(run, 'settled') || !['SUCCEEDED', 'INCOMPLETE'].includes(run.phase.status)) continue;
    const values = Array.isArray(run.values)
      ? [...(run.values as Json[])]
      : { ...(run.values as JsonObject) };
    if (Object.keys(values).length === 0) continue;
    setOwn(byStep, id, values);
    if (!Array.isArray(values)) Object.assign(byName, values);
  }
  return { ...byName, ...byStep };
}

/** The results of bodies whose steps are all settled. */
export function leaving(context: DecisionContext): Fact[] {
  const { state } = context;
  const facts: Fact[] = [];
  for (const path of state.completedScopes) {
    const scope = state.scopes.get(path);
    if (!scope) continue;
    const last = lastStep(context, scope);
    if (last !== null) {
      facts.push(...last);
      continue;
    }
    const { counter } = scope;
    const ended = counter.at === 'end' ? spoken(context, scope, counter) : null;
    const through: SettledScope = {
      ending: path === '' ? state.ending : scope.ending,
      failed: scope.failed,
      ended,
    };
    if (path === '') facts.push({ type: 'closed', ...finalStatus(through) });
    else facts.push(...leave(context, scope, failureOf(through, lastOf(scope)), counter));
  }
  return facts;
}

/** The begin of the steps that run finally: nothing while they run. Null: there are none left. */
function lastStep(context: DecisionContext, scope: Scope): Fact[] | null {
  const { state, rules } = context;
  const last = rules.bodies.get(scope.body)?.last ?? null;
  if (last === null) return null;
  const path = pathIn(scope.path, last.step.id);
  const run = state.steps.get(path);
  if (isIn(run, 'settled')) return null;
  if (isIn(run, 'open')) return [];
  const { counter } = scope;
  const ended = counter.at === 'end' && counter.says !== null ? spoken(context, scope, counter) : null;
  const rest = { items: null, bound: null, concurrency: 1, timeout: null, isLast: true } as const;
  return [{ type: 'expanded', path, ...rest, ...(ended && { ended }) }];
}

/** The last step of a body, where it has an order; else the step that owns it. */
function lastOf({ path, step, entered, counter }: Scope): StepPath {
  return counter.at === 'end' && entered !== null
    ? pathIn(path, entered.step, entered.visit)
    : (step ?? path);
}

/** How a sequence ended in failure, with its own message; null: it did not. */
function spoken(
  { state, rules }: DecisionContext,
  scope: Scope,
  { failed, says }: Extract<Counter, { at: 'end' }>,
): SettledScope['ended'] {
  const rule = scope.entered && rules.bodies.get(scope.body)?.steps.get(scope.entered.step);
  if (failed === null || says === null || !rule) return failed;
  const path = pathIn(scope.path, rule.step.id);
  const text = attempt(() =>
    evaluationOf(state, rules, { path, scope, rule, alone: false }).renderText(says),
  );
  if (!text.ok) return failed;
  const said = text.value.trim() === '' ? 'its `message` is empty' : text.value;
  return { ...failed, reason: { ...failed.reason, text: said } };
}

function leave(context: DecisionContext, scope: Scope, failed: Failure | null, counter: Counter): Fact[] {
  const entered = scope.step === null ? null : found(context, scope.step);
  const again =
    entered !== null &&
    !isEnding(context.state, entered.scope) &&
    failed?.class === 'RETRYABLE_TRANSIENT' &&
    scope.retries < entered.rule.step.retry.max &&
    failed.reason.code !== 'E_TIMEOUT';
  if (again) return [reopened(context, scope)];
  const how = counter.at === 'end' ? counter.how : 'end';
  return [{ type: 'left', path: scope.path, failed, broke: how === 'break', exits: how === 'exit' }];
}
