import { breakerLimit } from './breaker.ts';
import { continueBody, leaving, openRun } from './decide/bodies.ts';
import { consider } from './decide/entering.ts';
import { outcome } from './decide/outcomes.ts';
import { rerun } from './decide/reopen.ts';
import { Room } from './decide/room.ts';
import { found, isEnding, usedUp, type DecisionContext, type Slots } from './decide/context.ts';
import { starts } from './decide/starts.ts';
import { sweeps } from './decide/ending-scopes.ts';
import { clocked, nextWake, times } from './decide/times.ts';
import type { Fact, FileLook, StepPath, ProcessKey } from './event.ts';
import { isIn } from './fold/steps.ts';
import type { Step } from '../model.ts';
import { creditOf } from './credit.ts';
import { keyOf } from './resolve.ts';
import type { Rules } from './rules.ts';
import type { RunState } from './state.ts';

/** A process that should be running. */
export interface Process {
  readonly key: ProcessKey;
  readonly path: StepPath;
  readonly step: Step;
}

export interface Decision {
  /**
   * What to record. With any fact, record it and decide again; `processes` counts only when there
   * is none.
   */
  readonly facts: readonly Fact[];
  readonly processes: readonly Process[];
  /** Workspace files to check for existence, each for a step that waits for the answer. */
  readonly looks: readonly FileLook[];
  /** When to look again although nothing happened; null: never. Milliseconds since 1970. */
  readonly wake: number | null;
}

/**
 * The facts, the processes to run and the time to look again, given state, definition and time.
 * Pure. Starts at most `slots` processes.
 */
export function decide(
  state: RunState,
  rules: Rules,
  clock: number,
  slots: Slots = { agents: Infinity, processes: Infinity },
): Decision {
  const nothing: Decision = { facts: [], processes: [], looks: [], wake: null };
  if (state.given === null || state.endedAt !== null) return nothing;
  const context: DecisionContext = { state, rules, now: Math.max(clock, state.now), slots };
  const stages: readonly ((context: DecisionContext) => Fact[])[] = [
    rerun,
    openRun,
    // A command given before the body began applies from the first event on.
    dirtySteps,
    overspent,
    sweeps,
    leaving,
    times,
    breaks,
    (each) => starts(each, new Room(each)),
    clocked,
  ];
  for (const stage of stages) {
    const facts = stage(context);
    if (facts.length > 0) return { ...nothing, facts };
  }
  return { facts: [], processes: processes(context), looks: looks(context), wake: nextWake(context) };
}

/** What follows for steps with a new event, or whose last need is settled. */
function dirtySteps(context: DecisionContext): Fact[] {
  const { state } = context;
  if (state.dirty.size === 0) return [];
  const facts: Fact[] = [];
  const ready: StepPath[] = [];
  const room = new Room(context);
  for (const path of state.dirty) {
    const entered = found(context, path);
    if (!entered) continue;
    const run = state.steps.get(path);
    if (isIn(run, 'open')) facts.push(...continueBody(context, entered, run));
    else if (run && !isIn(run, 'pending')) facts.push(...outcome(context, room, entered, run));
    else if (!isEnding(state, entered.scope)) {
      const considered = consider(context, entered);
      if (considered === 'ready') ready.push(path);
      else facts.push(...considered);
    }
  }
  return ready.length === 0 ? facts : [{ type: 'readied', paths: ready }, ...facts];
}

/** Stops launching after several agents failed in the same way. */
function breaks({ state }: DecisionContext): Fact[] {
  const { breaker } = state;
  const path = breaker?.steps.at(-1);
  if (breaker === null || path === undefined || state.ending !== null) return [];
  if (breaker.steps.length < breakerLimit) return [];
  const names = breaker.steps.join(', ');
  const text = `launching stops: ${names} failed in the same way, with no success between: ${breaker.error}`;
  const reason = { code: 'E_BREAKER', text } as const;
  return [{ type: 'ending', scope: '', ending: { why: 'aborted', path, class: 'NON_RETRYABLE', reason } }];
}

/** Ends a run that spent more than its budget; spending all of it is allowed. */
function overspent({ state }: DecisionContext): Fact[] {
  const credit = creditOf(state);
  if (credit === null || credit.spent <= credit.total || state.ending !== null) return [];
  if (state.given?.currency?.enforced === false) return [];
  const path = [...state.steps.values()].findLast(({ cost }) => (cost.units ?? 0) > 0)?.path ?? '';
  return [usedUp(state, path)];
}

function looks({ state }: DecisionContext): Decision['looks'] {
  return [...state.active].flatMap((path) => {
    const run = state.steps.get(path);
    if (!isIn(run, 'looking') || run.phase.problem !== null) return [];
    const { asks, file } = run.phase;
    return [{ path, asks, file }];
  });
}

function processes(context: DecisionContext): Process[] {
  const { state } = context;
  const wanted: Process[] = [];
  for (const path of state.active) {
    const run = state.steps.get(path);
    const key = run && keyOf(run);
    const entered = key ? found(context, path) : null;
    if (key && entered) wanted.push({ key, path, step: entered.rule.step });
  }
  return wanted;
}
