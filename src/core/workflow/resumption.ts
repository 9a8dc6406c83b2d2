import { isKept, wantedBy } from './decide/reopen.ts';
import type { Path } from './event.ts';
import type { Step } from './model.ts';
import { nextKey, tryLaunch } from './resolve.ts';
import type { Rules } from './rules.ts';
import { findStep, type Entered } from './scope.ts';
import type { RunState, StepRun } from './state.ts';
import { reasonOf, statusOf } from './view.ts';

/** What a `resume` makes of one step, and why. */
export interface Resumption {
  readonly path: Path;
  readonly does: 'reused' | 'runs';
  readonly why: string;
}

/**
 * What going on with a run would do, step by step: what is reused, what runs, and why. `changed`: steps that are not what
 * they were since the definition was edited.
 */
export function resumptionOf(state: RunState, rules: Rules, changed: readonly Path[]): Resumption[] {
  const { forced, owners } = wantedBy({ state, rules }, changed);
  const tops = [...rules.root.steps.keys()];
  const entered = [...state.steps.keys()].filter((path) => findStep(state, rules, path) !== null);
  const paths = [...new Set([...tops, ...entered])];
  return paths.map((path): Resumption => {
    const run = state.steps.get(path);
    if (changed.includes(path))
      return { path, does: 'runs', why: 'its definition, inputs or parameters changed' };
    if (forced.has(path)) return { path, does: 'runs', why: 'what it comes after runs again' };
    if (owners.has(path)) return { path, does: 'runs', why: 'a step in it runs again' };
    if (run !== undefined && isKept(run)) return { path, does: 'reused', why: statusOf(state, path) };
    return { path, does: 'runs', why: run === undefined ? 'it was not run yet' : unfinished(state, run) };
  });
}

function unfinished(state: RunState, run: StepRun): string {
  if (run.phase.is === 'asked') return 'it waits for a person';
  if (run.phase.is === 'open') return 'steps in it are left';
  const status = statusOf(state, run.path);
  if (run.phase.is !== 'settled') return status === 'PENDING' ? 'it was not run yet' : 'it was under way';
  const reason = reasonOf(run);
  return `${status}${reason === null ? '' : `: ${reason}`}`;
}

/** Finished steps of a run that an edited definition would have done otherwise: another worker, text or input. */
export function changedSteps(state: RunState, before: Rules, after: Rules): Path[] {
  return [...state.steps.values()].flatMap((run) => {
    if (!isKept(run)) return [];
    const old = findStep(state, before, run.path);
    const edited = findStep(state, after, run.path);
    if (old === null || edited === null) return [];
    return essence(state, before, old, run) === essence(state, after, edited, run) ? [] : [run.path];
  });
}

/** What decides what a step comes to, resolved, as a text that can be compared. */
function essence(state: RunState, rules: Rules, found: Entered, run: StepRun): string {
  const { step } = found.rule;
  const { phase } = run;
  const needs = step.needs.map((need) => need.step).toSorted();
  const resolved =
    phase.is === 'settled' && phase.status === 'SKIPPED' ? null : resolve(state, rules, found, run);
  return JSON.stringify([needs, step.join, step.when, step.outputs, step.values, checkOf(step), resolved]);
}

function checkOf({ check }: Step): unknown {
  return check && { work: check.work, decisionFile: check.decisionFile, convergence: check.convergence };
}

function resolve(state: RunState, rules: Rules, found: Entered, run: StepRun): unknown {
  const { work } = found.rule.step;
  switch (work.kind) {
    case 'gate':
      return [work.message, work.approvers];
    case 'for-each':
      return [work.items, work.as];
    case 'while':
      return [work.condition, work.maxIterations];
    case 'assign':
      return work.values;
    case 'workflow':
      return [work.workflow.name, work.with, work.exports];
    default: {
      const launch = tryLaunch(state, rules, found, { ...nextKey(run, run.path), check: 0 });
      if (!launch.ok) return launch.why;
      const { work: resolved, workspace, env, inputs, secrets } = launch.value;
      return [
        resolved.kind === 'agent' ? { ...resolved, again: null } : resolved,
        workspace,
        env,
        inputs,
        secrets,
      ];
    }
  }
}
