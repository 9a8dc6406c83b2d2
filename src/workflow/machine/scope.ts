import { seenFiles } from '../../expressions/evaluate.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { setOwn } from '../../kernel/own.ts';
import { approvalOf } from './approval.ts';
import { previousNamespace } from '../reserved.ts';
import type { RunStart, StepPath } from './event.ts';
import { itemScope, pathIn, scopeOf, stepOf } from './path.ts';
import type { BodyRule, Rules, StepRule } from './rules.ts';
import type { RunState, Scope, StepRun } from './state.ts';
import type { Cost } from '../../kernel/cost.ts';
import { costDocument } from './credit.ts';
import { failedAt, finalStatus } from './final-status.ts';
import { isIn, scopesAround } from './fold/steps.ts';

/** One visit of a step: its rule in the definition, and the body that contains it. */
export interface StepVisit {
  readonly path: StepPath;
  readonly scope: Scope;
  readonly rule: StepRule;
  /** True: only this step is run, so nothing follows it. */
  readonly alone: boolean;
}

/** The visit that a path names; null: no such step, or its body is not open. */
export function findStep(state: RunState, rules: Rules, path: StepPath): StepVisit | null {
  const scope = state.scopes.get(scopeOf(path));
  const rule = scope && rules.bodies.get(scope.body)?.steps.get(stepOf(path));
  const alone = state.given?.only != null && scope?.path === '';
  return rule && scope ? { path, scope, rule, alone } : null;
}

/** The current visit of a step in a body; in a sequence, the last one. */
export function entered(state: RunState, scope: Scope, id: string): StepRun | undefined {
  return state.steps.get(pathIn(scope.path, id, scope.visits.get(id) ?? 1));
}

/** Whether a loop or a sub-workflow failed because of an inner step; its reason names that step. */
function failedInside(state: RunState, path: StepPath): boolean {
  return (state.steps.get(path)?.open?.failed ?? null) !== null;
}

/** A reason with the step that failed; that of a loop or a sub-workflow names it already. */
export function namedReason(state: RunState, path: StepPath, text: string): string {
  return path === '' || failedInside(state, path) ? text : `${path}: ${text}`;
}

/** The step that failed first in the items of a loop, else the step itself. */
export function firstFailed(state: RunState, path: StepPath): StepPath {
  const { open = null } = state.steps.get(path) ?? {};
  const first = open?.items != null && open.bound === null ? open.failed : null;
  const isInside = first !== null && first.path.startsWith(`${path}/`) && state.steps.has(first.path);
  return isInside ? firstFailed(state, first.path) : path;
}

/** The enclosing scope whose steps are visible from this one; null: there is none. */
function scopeAround(state: RunState, scope: Scope): Scope | null {
  if (scope.step === null || (scope.item === null && !scope.isLast)) return null;
  return state.scopes.get(scopeOf(scope.step)) ?? null;
}

/** The visit that an id names in a body: its own step, else one of the enclosing body. */
export function lookUpStep(
  state: RunState,
  rules: Rules,
  from: Scope,
  id: string,
): { run: StepRun | undefined; rule: StepRule; scope: Scope } | null {
  for (let scope: Scope | null = from; scope !== null; scope = scopeAround(state, scope)) {
    const body = rules.bodies.get(scope.body);
    const rule = body?.steps.get(id) ?? ignoringCase(body, id);
    if (rule) return { run: entered(state, scope, rule.step.id), rule, scope };
  }
  return null;
}

/** Paths in expressions ignore case when no name matches exactly. */
function ignoringCase(body: BodyRule | undefined, id: string): StepRule | undefined {
  const wanted = id.toUpperCase();
  for (const rule of body?.steps.values() ?? []) if (rule.step.id.toUpperCase() === wanted) return rule;
  return undefined;
}

/** The parameter values of an item or a sub-workflow. */
function parametersOf(state: RunState, scope: Scope): Readonly<Record<string, Json>> {
  for (
    let at: Scope | null | undefined = scope;
    at;
    at = at.step === null ? null : state.scopes.get(scopeOf(at.step))
  )
    if (at.parameters !== null) return at.parameters;
  return state.given?.parameters ?? {};
}

/** The folder of a step's artifacts, relative to the context folder; a sub-workflow has its own. */
function contextFolder(state: RunState, path: StepPath): string {
  const scope = state.scopes.get(scopeOf(path));
  if (!scope || scope.step === null) return path;
  const entry = path.slice(path.lastIndexOf('/') + 1);
  const around = contextFolder(state, scope.step);
  if (scope.isLast) return `${around}/${entry}`;
  return scope.item === null ? `${around}/_child/${entry}` : `${around}/${String(scope.item.index)}/${entry}`;
}

/**
 * What the expressions of a step see. Computed for each step, so it has only the steps that it
 * reads.
 */
export function contextOf(state: RunState, rules: Rules, scope: Scope, rule: StepRule): JsonObject {
  const { given } = state;
  if (given === null) return {};
  const { workflow } = rule.body;
  return {
    parameters: { ...parametersOf(state, scope) },
    steps: stepsSeen(state, rules, scope, rule),
    env: { ...given.env },
    run: {
      ...runOf(state, given, workflow === rules.workflow ? given.run : childRun(state, given, scope)),
      ...endSeen(state, scope),
    },
    workflow: { name: workflow.name, version: workflow.version },
    context: { ...given.context, ...state.context },
    trigger: given.trigger,
    ...itemsOf(state, rules, scope),
    ...previousSeen(state, rules, scope, rule),
    ...filesSeen(state, pathIn(scope.path, rule.step.id, scope.visits.get(rule.step.id) ?? 1)),
  };
}

/** The results of file lookups, for the expressions of a step. */
export function filesSeen(state: RunState, path: StepPath): JsonObject {
  const looks = state.steps.get(path)?.looks;
  return looks === undefined || Object.keys(looks).length === 0 ? {} : { [seenFiles]: { ...looks } };
}

function runOf({ startedAt }: RunState, given: RunStart, id: string): JsonObject {
  const started = startedAt === null ? {} : { started_at: new Date(startedAt).toISOString() };
  return { id, root: given.run, ...started };
}

/** What the steps that run finally see of the end of their workflow; others see nothing of it. */
function endSeen(state: RunState, from: Scope): JsonObject {
  const scopes = scopesAround(state, { scope: from.path });
  const at = scopes.findIndex(({ isLast }) => isLast);
  const [ended, ...around] = scopes.slice(at + 1);
  if (at === -1 || !ended) return {};
  const ending = [ended, ...around].find((scope) => scope.ending !== null)?.ending ?? null;
  const { counter, failed, path, cost } = ended;
  const through = { ending, failed, ended: counter.at === 'end' ? counter.failed : null };
  const { status, reason } = finalStatus(through);
  const text = reason && namedReason(state, failedAt(through), reason.text);
  return endDocument(state, { status, reason: text, cost, within: path });
}

/** How a run, or a body in it, ended, as expressions see it. */
export function endDocument(
  state: RunState,
  {
    status,
    reason,
    cost,
    within,
  }: {
    readonly status: string;
    readonly reason: string | null;
    readonly cost: Cost;
    readonly within: StepPath;
  },
): JsonObject {
  const failed = [...state.steps.values()].filter(
    (step) => isIn(step, 'settled') && step.phase.status === 'FAILED' && isWithin(step.path, within),
  );
  return {
    status,
    reason,
    cost: costDocument(state, cost),
    failed: failed.map(({ path }) => path),
  };
}

function isWithin(path: StepPath, scope: StepPath): boolean {
  return scope === '' || path.startsWith(`${scope}/`);
}

/** A sub-workflow's run id consists of the run's id, its path and the attempt. */
function childRun(state: RunState, given: RunStart, scope: Scope): string {
  let at: Scope | undefined = scope;
  while (at && (at.item !== null || at.isLast) && at.step !== null) at = state.scopes.get(scopeOf(at.step));
  const step = at?.step ?? null;
  if (step === null) return given.run;
  return `${given.run}/${step}@${String(state.steps.get(step)?.attempt ?? 1)}`;
}

function itemsOf(state: RunState, rules: Rules, scope: Scope): JsonObject {
  const { item } = scope;
  const around = scopeAround(state, scope);
  const outer = around === null ? {} : itemsOf(state, rules, around);
  if (item === null) return outer;
  const name = rules.bodies.get(scope.body)?.item ?? null;
  const owner = scope.step === null ? undefined : state.steps.get(scope.step);
  const loop = loopOf(state, owner, item.index);
  return name === null ? { ...outer, loop } : { ...outer, item: item.value, [name]: item.value, loop };
}

/** The `loop` value in one iteration; running time in seconds. */
export function loopOf(state: RunState, owner: StepRun | undefined, index: number): JsonObject {
  const elapsed = (state.now - (owner?.startedAt ?? state.now)) / 1_000;
  const round = { index, iteration: index + 1, first: index === 0, elapsed };
  if (owner?.open?.bound != null) return round;
  const total = owner?.open?.items?.length ?? 0;
  return { ...round, total, last: index === total - 1 };
}

function stepsSeen(state: RunState, rules: Rules, scope: Scope, { reads }: StepRule): JsonObject {
  const seen: JsonObject = {};
  for (const id of reads ?? allIds(state, rules, scope)) {
    const found = lookUpStep(state, rules, scope, id);
    const run = found && lastSettled(state, found);
    if (found && run) setOwn(seen, found.rule.step.id, seenOf(state, rules, run, found.rule));
  }
  return seen;
}

/** The steps of the previous iteration of the enclosing `while`; none in the first. */
function previousSeen(state: RunState, rules: Rules, scope: Scope, { readsPrevious }: StepRule): JsonObject {
  const last = readsPrevious?.size === 0 ? null : previousRound(state, scope);
  const body = last && rules.bodies.get(last.body);
  if (!last || !body) return {};
  const steps: JsonObject = {};
  for (const id of readsPrevious ?? body.steps.keys()) {
    const rule = body.steps.get(id) ?? ignoringCase(body, id);
    const run = rule && lastSettled(state, { run: entered(state, last, rule.step.id), rule, scope: last });
    if (run) setOwn(steps, rule.step.id, seenOf(state, rules, run, rule));
  }
  return { [previousNamespace]: { steps } };
}

/** The iteration before the one of a `while` that a scope lies in; null: there is none. */
function previousRound(state: RunState, from: Scope): Scope | null {
  for (let scope: Scope | null = from; scope !== null; scope = scopeAround(state, scope)) {
    const owner = scope.step === null ? undefined : state.steps.get(scope.step);
    if (scope.item !== null && scope.step !== null && owner?.open?.bound != null)
      return state.scopes.get(itemScope(scope.step, scope.item.index - 1)) ?? null;
  }
  return null;
}

/** The last settled visit of a step; else the current one. */
function lastSettled(
  state: RunState,
  { run, rule, scope }: { run: StepRun | undefined; rule: StepRule; scope: Scope },
): StepRun | undefined {
  const visit = scope.visits.get(rule.step.id) ?? 1;
  if (visit === 1 || isIn(run, 'settled')) return run;
  return state.steps.get(pathIn(scope.path, rule.step.id, visit - 1));
}

function allIds(state: RunState, rules: Rules, from: Scope): Set<string> {
  const ids = new Set<string>();
  for (let scope: Scope | null = from; scope !== null; scope = scopeAround(state, scope))
    for (const id of rules.bodies.get(scope.body)?.steps.keys() ?? []) ids.add(id);
  return ids;
}

/** Milliseconds that a step took: its last process, or the whole of a loop. */
export function durationOf({ result, startedAt, settledAt }: StepRun): number {
  return result?.durationMs ?? Math.max(0, (settledAt ?? 0) - (startedAt ?? settledAt ?? 0));
}

/** The exit code that a shell reports for a command that timed out. */
const timedOutCode = 124;
const failedCode = 1;

/**
 * The exit code of a settled step: 1 for a failure without a process; for a failed loop, the code
 * of the inner step that caused it. Null: unknown.
 */
export function exitCodeOf(state: RunState, run: StepRun): number | null {
  const own = run.result?.exitCode ?? null;
  if (own !== null || !isIn(run, 'settled')) return own;
  const { status, reason } = run.phase;
  if (status === 'SUCCEEDED') return run.result === null ? 0 : null;
  if (reason?.code === 'E_TIMEOUT') return timedOutCode;
  if (status !== 'FAILED') return null;
  // A failure handler reads a code also when no process could start.
  if (run.open === null || run.open.items === null) return failedCode;
  const last = state.scopes.get(itemScope(run.path, run.open.opened - 1));
  const step = last?.entered ? entered(state, last, last.entered.step) : undefined;
  // The body failed although its last step succeeded.
  return (step && exitCodeOf(state, step)) || failedCode;
}

/** What other steps see of a settled step. Absent values have no key. */
function seenOf(state: RunState, rules: Rules, run: StepRun, { step }: StepRule): JsonObject {
  if (!isIn(run, 'settled')) return {};
  const { status } = run.phase;
  const { result } = run;
  const seen: JsonObject = { status };
  const exitCode = exitCodeOf(state, run);
  if (exitCode !== null) seen['exit_code'] = exitCode;
  if (result !== null) seen['output'] = result.output;
  if (result !== null || run.open !== null) seen['duration'] = durationOf(run);
  // A rejection is an answer, too; a gate that timed out has none.
  const approval = approvalOf(step, run);
  if (approval !== null) seen['approval'] = approval;
  if (step.work.kind === 'for-each' && run.open !== null) {
    const errors = errorsOf(state, run);
    seen['errors'] = run.open.keys === undefined ? errors : withoutNulls(byKey(run.open, errors));
    seen['failed'] = errors.filter((each) => each !== null).length;
  }
  const isDone = status === 'SUCCEEDED' || status === 'INCOMPLETE';
  // A loop with keys hands on what its other items gave.
  if (!isDone && (run.open === null || Object.keys(run.values).length === 0)) return seen;
  seen['values'] = Array.isArray(run.values)
    ? [...(run.values as Json[])]
    : { ...(run.values as JsonObject) };
  if (run.summary?.text != null) seen['summary'] = run.summary.text;
  seen['artifacts'] = artifactsSeen(state, rules, run);
  if (run.result?.commit != null) {
    const { id, branch, worktree } = run.result.commit;
    Object.assign(seen, { commit: id, branch }, worktree === null ? {} : { worktree });
  }
  return seen;
}

/** Where the artifacts of a step lie, by name; of a loop, a list of those of each iteration. */
function artifactsSeen(state: RunState, rules: Rules, run: StepRun): JsonObject | Json[] {
  if (isLoop(run))
    return byKey(
      run.open,
      scopesOf(run).map((scope) => artifactsOfBody(state, rules, scope)),
    );
  const { contextDir, contextAt = contextDir } = rules.workflow;
  const within = contextFolder(state, run.path);
  const folder = contextAt === null ? within : `${contextAt}/${within}`;
  return Object.fromEntries(run.artifacts.map(({ name, path }) => [name, `${folder}/${path}`]));
}

/** Those of one iteration: by step, and by their own name where no step has that name. */
function artifactsOfBody(state: RunState, rules: Rules, path: StepPath): JsonObject {
  const byStep: JsonObject = {};
  const byName: JsonObject = {};
  for (const run of makersIn(state, rules, path)) {
    const artifacts = artifactsSeen(state, rules, run);
    setOwn(byStep, run.step, artifacts);
    if (!Array.isArray(artifacts)) Object.assign(byName, artifacts);
  }
  return { ...byName, ...byStep };
}

/** The steps of an iteration whose artifacts its loop hands on, in the order of the definition. */
export function makersIn(state: RunState, rules: Rules, path: StepPath): StepRun[] {
  const scope = state.scopes.get(path);
  const body = scope && rules.bodies.get(scope.body);
  if (!scope || !body) return [];
  const owner = scope.step === null ? null : findStep(state, rules, scope.step);
  const only = owner?.rule.step.work.kind === 'for-each' ? owner.rule.step.work.gives : undefined;
  return [...body.steps.keys()].flatMap((id) => {
    const run = only === undefined || id === only ? entered(state, scope, id) : undefined;
    return isIn(run, 'settled') && (run.artifacts.length > 0 || isLoop(run)) ? [run] : [];
  });
}

/** Why the items of a loop failed, by index; null: it did not, or was ended with the others. */
export function errorsOf(state: RunState, run: StepRun): (string | null)[] {
  return scopesOf(run).map((path) => {
    const failed = state.scopes.get(path)?.left?.failed ?? null;
    const isOwn = failed !== null && (failed.path === path || isWithin(failed.path, path));
    return isOwn ? failed.reason.text : null;
  });
}

/** What a loop has of its iterations: a list, or a mapping by the names of its items. */
export function byKey<T extends Json>(open: StepRun['open'], list: T[]): T[] | Record<string, T> {
  if (open?.keys === undefined) return list;
  const mapping: Record<string, T> = {};
  for (const [index, value] of list.entries()) setOwn(mapping, open.keys[index] ?? String(index), value);
  return mapping;
}

function withoutNulls(mapping: JsonObject | Json[]): JsonObject {
  return Object.fromEntries(Object.entries(mapping).filter(([, value]) => value !== null));
}

/** Whether a step has begun that has iterations. */
export function isLoop({ open }: StepRun): boolean {
  return open !== null && open.items !== null;
}

/** The bodies that a loop or a sub-workflow has opened. */
export function scopesOf({ path, open }: StepRun): StepPath[] {
  const count = open?.opened ?? 0;
  return Array.from({ length: count }, (_, index) => (open?.items == null ? path : itemScope(path, index)));
}
