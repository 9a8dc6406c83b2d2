import { apply } from './apply.ts';
import { decide } from './decide.ts';
import { noSlots } from './decide/context.ts';
import { isKept, wantedBy } from './decide/reopen.ts';
import type { Happening, RunStart, StepPath } from './event.ts';
import { isIn, scopesAround } from './fold/steps.ts';
import type { LaunchWork } from './launch.ts';
import type { Step, Workflow } from '../model.ts';
import { pathIn, scopeOf, stepOf } from './path.ts';
import { nextKey, tryLaunch } from './resolve.ts';
import type { BodyRule, Rules, StepRule } from './rules.ts';
import { findStep, type StepVisit } from './scope.ts';
import type { RunState, Scope, StepRun } from './state.ts';
import { reasonOf, statusOf } from './view.ts';
import { ownValue } from '../../kernel/own.ts';

/**
 * What a `resume` does with one step, and why. `may run`: depends on results, as in a sequence or
 * with a retried iteration or an incomplete sub-workflow. `ends`: an enclosing body ends first.
 * `gone`: the edited definition lacks it.
 */
interface Resumption {
  readonly path: StepPath;
  readonly does: 'reused' | 'runs' | 'may run' | 'ends' | 'gone';
  readonly why: string;
}

/**
 * What resuming a run does, step by step: what is reused, what runs, and why. `rules`: with an edit
 * those of the edited definition. `edit`: null: the definition is unchanged.
 */
export function resumptionOf(given: RunState, rules: Rules, edit: Edit | null): Resumption[] {
  const changes = edit?.changes;
  const removed = edit?.gone.filter((path) => changes?.has(path) !== true) ?? [];
  const lost = removed.map(
    (path) => ({ path, does: 'gone', why: 'the edited workflow does not have it' }) as const,
  );
  const state =
    edit === null ? given : apply(structuredClone(given), { ...updated(edit, null), at: given.now });
  const wanted = wantedBy({ state, rules }, edit === null ? (state.rerun ?? []) : [...edit.changes.keys()]);
  const { isOver, after, starts, opens } = startsAgain(given, rules, edit);
  const rowOf = (path: StepPath): Resumption => {
    const run = state.steps.get(path);
    const change = changes?.get(path);
    if (!isIn(run, 'settled') && isSwept(after.steps.get(path)))
      return { path, does: 'ends', why: 'what it is part of ends' };
    if (run === undefined && change !== undefined) return { ...unentered(rules, path, false), why: change };
    if (run === undefined || (starts.has(path) && change === undefined && wanted.forced.has(path)))
      return unentered(rules, path, wanted.forced.has(path));
    if (starts.has(path)) return { path, does: 'runs', why: change ?? unfinished(state, run) };
    if (around(path).some((each) => starts.has(each)))
      return { path, does: 'runs', why: 'what it is part of runs again' };
    if (opens.has(path) && wanted.owners.has(path))
      return { path, does: 'runs', why: 'a step in it runs again' };
    if (opens.has(path) || run.phase.is !== 'settled')
      return { path, does: 'runs', why: unfinished(state, run) };
    const stays = change === undefined ? '' : `; ${change}, and a sequence does not go back`;
    const why = `${statusOf(state, path)}${stays}`;
    if (!isKept(run) && mayRepeat(after, rules, run))
      return { path, does: 'may run', why: `${why}; it runs again if its iteration is tried again` };
    if (mayIterate(after, rules, run))
      return { path, does: 'may run', why: `${why}; it runs again if its sub-workflow is not complete` };
    return { path, does: 'reused', why };
  };
  const entered = [...state.steps.keys()].filter((path) => findStep(state, rules, path) !== null);
  const tops = isOver ? [] : rules.root.steps.keys();
  return [...[...new Set([...tops, ...entered, ...(changes?.keys() ?? [])])].map(rowOf), ...lost];
}

interface StartsAgain {
  /** Nothing is left to do. */
  readonly isOver: boolean;
  /** The run when it next needs a process, or at its end. */
  readonly after: RunState;
  /** Steps that start anew, and loops and sub-workflows that continue. */
  readonly starts: ReadonlySet<StepPath>;
  readonly opens: ReadonlySet<StepPath>;
}

/** Runs the machine on a copy of the state until something must run. */
function startsAgain(state: RunState, rules: Rules, edit: Edit | null): StartsAgain {
  const at = state.now;
  let copy = apply(structuredClone(state), { type: 'resumed', by: 'person', at });
  if (edit !== null) copy = apply(copy, { ...updated(edit, null), at });
  const isOver = copy.endedAt !== null;
  const starts = new Set<StepPath>();
  const opens = new Set<StepPath>();
  const decided = () => decide(copy, rules, at, noSlots);
  for (let { facts } = decided(); facts.length > 0; { facts } = decided())
    for (const fact of facts) {
      copy = apply(copy, { ...fact, at });
      if (fact.type !== 'reopened') continue;
      for (const path of fact.steps) starts.add(path);
      for (const path of fact.opens) opens.add(path);
    }
  return { isOver, after: copy, starts, opens };
}

/** Whether the end of its body settled it. */
function isSwept(run: StepRun | undefined): boolean {
  if (!isIn(run, 'settled')) return false;
  return run.phase.status === 'CANCELLED' || run.phase.skipped?.why === 'run-ended';
}

/** Whether an unfinished enclosing body has attempts left if the step fails. */
function mayRepeat(state: RunState, rules: Rules, run: StepRun): boolean {
  return scopesAround(state, run).some(({ step, left, retries }) => {
    const rule = step === null ? null : findStep(state, rules, step)?.rule;
    return rule != null && left === null && retries < rule.step.retry.max;
  });
}

/** Whether the check of an unfinished enclosing sub-workflow may have it run again as a whole. */
function mayIterate(state: RunState, rules: Rules, run: StepRun): boolean {
  return scopesAround(state, run).some(({ step }) => {
    const owner = step === null ? undefined : state.steps.get(step);
    const check = step === null ? null : findStep(state, rules, step)?.rule.step.check;
    return check != null && owner?.phase.is !== 'settled';
  });
}

/** A step that was not entered, or that follows one that runs again. */
function unentered(rules: Rules, path: StepPath, isAfter: boolean): Resumption {
  if (isAfter) return { path, does: 'runs', why: 'what it comes after runs again' };
  const does = rules.root.body.kind === 'sequence' ? 'may run' : 'runs';
  return { path, does, why: 'it was not run yet' };
}

/** The enclosing loops and sub-workflows of a step, with some paths that are neither. */
function around(path: StepPath): StepPath[] {
  const outer: StepPath[] = [];
  for (let at = scopeOf(path); at !== ''; at = scopeOf(at)) outer.push(at);
  return outer;
}

function unfinished(state: RunState, run: StepRun): string {
  if (run.phase.is === 'asked') return 'it waits for a person';
  if (run.phase.is === 'open') return 'steps in it are left';
  const status = statusOf(state, run.path);
  if (run.phase.is !== 'settled') return status === 'PENDING' ? 'it was not run yet' : 'it was running';
  const reason = reasonOf(run);
  return `${status}${reason === null ? '' : `: ${reason}`}`;
}

/** What an edited definition changes in a run. */
export interface Edit {
  /** Steps that run for it although they were finished or their body was, and why. */
  readonly changes: ReadonlyMap<StepPath, string>;
  /** Visits whose results it has no use for: of steps that it lacks, or has as another kind. */
  readonly gone: readonly StepPath[];
}

/** What continuing a run with an edited definition changes in it. */
export function editOf(state: RunState, before: Rules, after: Rules): Edit {
  const changes = new Map<StepPath, string>();
  const gone = new Set<StepPath>();
  for (const scope of state.scopes.values()) {
    // A sequence may be at a step that no event has named yet.
    const at = scope.entered && pathIn(scope.path, scope.entered.step, scope.entered.visit);
    const body = after.bodies.get(scope.body);
    if (at !== null && body?.steps.has(stepOf(at)) !== true) gone.add(at);
    for (const path of addedTo(state, scope, before, after)) changes.set(path, 'added: it was not run yet');
  }
  for (const run of state.steps.values()) {
    const { path } = run;
    if (around(path).some((each) => gone.has(each))) continue;
    const old = findStep(state, before, path);
    const edited = findStep(state, after, path);
    if (edited === null) gone.add(path);
    else if (old !== null && isOtherKind(old.rule, edited.rule, run)) {
      gone.add(path);
      changes.set(path, 'changed: the kind of step');
    } else if (old !== null && (isKept(run) || run.open?.items != null)) {
      // A loop that is not over continues with its items: others are another loop.
      const of = isKept(run) ? essence : resolved;
      const words = different(of(state, before, old, run), of(state, after, edited, run));
      if (words.length > 0) changes.set(path, `changed: ${words.join(', ')}`);
    }
  }
  const inGone = (path: StepPath) => around(path).some((each) => gone.has(each));
  return {
    changes: new Map([...changes].filter(([path]) => !inGone(path))),
    gone: [...gone].filter((path) => !inGone(path)),
  };
}

/** Steps that a finished loop or sub-workflow lacked. A sequence does not go back for them. */
function addedTo(state: RunState, scope: Scope, before: Rules, after: Rules): StepPath[] {
  const owner = scope.step === null ? undefined : state.steps.get(scope.step);
  const [old, edited] = [before, after].map(({ bodies }) => bodies.get(scope.body));
  if (owner === undefined || !isKept(owner) || !old || edited?.body.kind !== 'graph') return [];
  const added = [...edited.steps.keys()].filter((id) => !old.steps.has(id));
  return added.map((id) => pathIn(scope.path, id));
}

/** Whether what is known of a visit means nothing for the edited step. */
function isOtherKind(before: StepRule, after: StepRule, run: StepRun): boolean {
  if (shapeOf(before.body) !== shapeOf(after.body)) return true;
  const isSame = before.step.work.kind === after.step.work.kind;
  if (before.inner === null && after.inner === null) return !isSame && !isIn(run, 'settled');
  return !isSame || shapeOf(before.inner) !== shapeOf(after.inner);
}

function shapeOf(body: BodyRule | null): string | undefined {
  return body?.body.kind;
}

type Limits = Pick<RunStart, 'budget' | 'timeout'>;

/** The event with which a run continues with an edited definition. */
export function updated(
  { changes, gone }: Edit,
  limits: Limits | null,
): Extract<Happening, { type: 'updated' }> {
  return { type: 'updated', steps: [...changes.keys()], gone, limits };
}

/**
 * The limits of a run whose definition was edited: those of the new definition, and still those of
 * the command line at the start.
 */
export function editedLimits({ budget }: Limits, before: Workflow, after: Workflow): Limits {
  const edited = (of: 'usd' | 'tokens'): number | null => {
    const [now, next] = [budget[of], after.budget[of]];
    if (now === before.budget[of] || now === null) return next;
    return next === null ? now : Math.min(now, next);
  };
  return { budget: { ...budget, usd: edited('usd'), tokens: edited('tokens') }, timeout: after.timeout };
}

/** What determines a step's result, by the names that people use. */
type ResultInputs = Readonly<Record<string, unknown>>;

function different(before: ResultInputs, after: ResultInputs): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.filter(
    (name) => JSON.stringify(ownValue(before, name)) !== JSON.stringify(ownValue(after, name)),
  );
}

function essence(state: RunState, rules: Rules, found: StepVisit, run: StepRun): ResultInputs {
  const { step } = found.rule;
  const { phase } = run;
  const needs = step.needs.map((need) => need.step).toSorted();
  const skipped = phase.is === 'settled' && phase.status === 'SKIPPED';
  const { outputs, stdout, values } = step;
  return {
    definition: [needs, step.join, step.when, outputs, stdout, values, checkOf(step)],
    ...(skipped ? {} : resolved(state, rules, found, run)),
  };
}

function checkOf({ check }: Step): unknown {
  return check && { work: check.work, decisionFile: check.decisionFile, convergence: check.convergence };
}

function resolved(state: RunState, rules: Rules, found: StepVisit, run: StepRun): ResultInputs {
  const { work } = found.rule.step;
  switch (work.kind) {
    case 'gate':
      return { gate: [work.message, work.approvers, work.choices, work.fields] };
    case 'for-each':
      return { loop: [work.items, work.as, work.key ?? null] };
    case 'while':
      return { loop: [work.condition, work.maxIterations] };
    case 'assign':
      return { values: work.values };
    case 'route':
      return { ways: work.ways };
    case 'fail':
      return { message: work.message };
    case 'finally':
      return {};
    case 'workflow':
      return { 'sub-workflow': [work.workflow.name, work.with, work.exports] };
    default: {
      const launch = tryLaunch(state, rules, found, { ...nextKey(run, run.path), check: 0 });
      if (!launch.ok) return { inputs: launch.why };
      const { workspace, checkout, env, inputs, stdin, promptInputs, secrets } = launch.value;
      return {
        ...workOf(launch.value.work),
        inputs: [inputs, stdin, promptInputs],
        workspace,
        ...(checkout && { commits: checkout.takes }),
        variables: [env, secrets],
      };
    }
  }
}

/** The worker and its prompt, with all parameters and values in place. */
function workOf(work: LaunchWork): ResultInputs {
  switch (work.kind) {
    case 'agent': {
      const { provider, model, instructions, leftToDo: _, ...rest } = work;
      return { worker: [provider, rest], model, instructions };
    }
    case 'role': {
      const { role, instructions } = work;
      return { role, instructions };
    }
    case 'script':
    case 'command':
    case 'merge':
    case 'land':
      return { [work.kind]: work };
    default:
      return work satisfies never;
  }
}
