import type { ErrorClass, Reason } from '../../../kernel/errors.ts';
import type { Json } from '../../../kernel/json.ts';
import type { Aftermath, ConvergenceState, Counter, Fact, Failure, SkipReason, StepPath } from '../event.ts';
import type { ArtifactRecord } from '../work-result.ts';
import { isIn, scopesAround } from '../fold/steps.ts';
import type { StepId, Target } from '../../model.ts';
import { creditOf } from '../credit.ts';
import { pathIn } from '../path.ts';
import type { BodyRule, Rules, StepRule } from '../rules.ts';
import { findStep, type StepVisit } from '../scope.ts';
import type { RunState, Scope } from '../state.ts';

/** How many processes the host can run for this run at once. */
export interface Slots {
  /** Agents. */
  readonly agents: number;
  /** Agents, scripts, commands and roles together. */
  readonly processes: number;
}

/** Nothing may start. */
export const noSlots: Slots = { agents: 0, processes: 0 };

/** The input of one decision round. */
export interface DecisionContext {
  readonly state: RunState;
  readonly rules: Rules;
  readonly now: number;
  readonly slots: Slots;
}

/** A step by its path; null: the definition does not have it. */
export function found({ state, rules }: DecisionContext, path: string): StepVisit | null {
  return findStep(state, rules, path);
}

/**
 * Whether a scope starts nothing new, because it or an enclosing one is ending: not one around
 * steps that run finally.
 */
export function isEnding(state: RunState, { path }: Scope): boolean {
  for (const { ending, isLast } of scopesAround(state, { scope: path })) {
    if (ending !== null) return true;
    if (isLast) return false;
  }
  return state.ending !== null;
}

/** Whether of a body only those steps are left that run finally. */
export function isFinishing(state: RunState, { last }: BodyRule, scope: StepPath): boolean {
  return last !== null && isIn(state.steps.get(pathIn(scope, last.step.id)), 'open');
}

/** Ends a run whose budget in its currency is spent. `path`: the step that revealed it. */
export function usedUp(state: RunState, path: string): Fact {
  const { spent, total, currency } = creditOf(state) ?? { spent: 0, total: 0, currency: '' };
  const text = `the budget of the run is used up: ${String(spent)} of ${String(total)} ${currency} are spent`;
  const reason = { code: 'E_BUDGET', text } as const;
  return { type: 'ending', scope: '', ending: { why: 'aborted', path, class: 'FATAL', reason } };
}

/** How control leaves a step of a sequence. */
type Way = 'success' | 'failure' | 'timeout';

/** What the end of a step changes for the others. */
function aftermath(
  { scope, rule, alone }: StepVisit,
  leaves: Aftermath['leaves'],
  way: Way,
  failure: Failure | null,
): Aftermath {
  const { body } = rule;
  if (rule === body.last) return { leaves, wakes: [], next: { at: 'graph' } };
  if (alone && body.body.kind === 'sequence') return { leaves, wakes: [], next: ended('end', failure) };
  if (body.body.kind === 'sequence')
    return { leaves, wakes: [], next: counterAfter(scope, rule.step, body.body, way, failure) };
  const wakes = rule.dependents.map(({ step, needs }) => ({ path: pathIn(scope.path, step.id), of: needs }));
  return { leaves, wakes, next: { at: 'graph' } };
}

type Ended = Extract<Counter, { at: 'end' }>;

function ended(how: Ended['how'], failure: Ended['failed'], says: Ended['says'] = null): Ended {
  return { at: 'end', how, failed: failure, says };
}

type Sequence = Extract<StepVisit['rule']['body']['body'], { kind: 'sequence' }>;

function counterAfter(
  scope: Scope,
  { id, next }: StepVisit['rule']['step'],
  { steps, maxVisits }: Sequence,
  way: Way,
  failure: Failure | null,
): Counter {
  const cause = failure && { class: failure.class, reason: failure.reason };
  // A fatal failure ends the run, whatever the sequence says: a resume continues with this step.
  if (failure?.class === 'FATAL') return ended('end', cause);
  if (next === null) {
    if (way !== 'success') return ended('end', cause);
    const following = steps[steps.findIndex((each) => each.id === id) + 1];
    return following && following.work.kind !== 'finally'
      ? enterStep(scope, following.id, maxVisits)
      : ended('end', null);
  }
  const target: Target = way === 'timeout' ? (next.timeout ?? next.failure) : next[way];
  const code = way === 'timeout' && next.timeout === null ? 'E_TIMEOUT' : 'E_STEP';
  return counterAt(scope, id, target, { maxVisits, failure, code });
}

/** The position of a sequence that a step leads to. */
function counterAt(
  scope: Scope,
  id: StepId,
  target: Target,
  { maxVisits, failure, code }: { maxVisits: number; failure: Failure | null; code: 'E_TIMEOUT' | 'E_STEP' },
): Counter {
  const cause = failure && { class: failure.class, reason: failure.reason };
  switch (target.to) {
    case 'step':
      return enterStep(scope, target.step, maxVisits);
    case 'end':
      return ended('end', null);
    case 'finish':
      return ended('exit', null);
    case 'break':
      return ended('break', cause);
    case 'continue':
      return ended('continue', null);
    case 'error':
    case 'fail': {
      const { message } = target;
      const text = failure?.reason.text ?? `\`${id}\` led to an error`;
      const said = typeof message === 'string' ? message : text;
      const how = target.to === 'fail' ? 'exit' : 'end';
      const says = typeof message === 'string' ? null : message;
      return ended(how, { class: 'NON_RETRYABLE', reason: { code, text: said } }, says);
    }
  }
}

/** A step that chooses where its sequence continues: it succeeds, whatever that is. */
export function lead(entered: StepVisit, target: Target): Fact {
  const settled = succeed(entered, 'SUCCEEDED', noOutput);
  const { scope, rule } = entered;
  const { body } = rule.body;
  if (body.kind === 'graph' || entered.alone) return settled;
  const { maxVisits } = body;
  const next = counterAt(scope, rule.step.id, target, { maxVisits, failure: null, code: 'E_STEP' });
  return { ...settled, next };
}

/** The next position of a sequence after a step that succeeded. */
export function nextAfter(scope: Scope, { step, body }: StepRule): Counter {
  return body.body.kind === 'sequence'
    ? counterAfter(scope, step, body.body, 'success', null)
    : { at: 'graph' };
}

function enterStep({ visits }: Scope, step: string, maxVisits: number): Counter {
  const visit = (visits.get(step) ?? 0) + 1;
  if (visit <= maxVisits) return { at: 'step', step, visit };
  const times = maxVisits === 1 ? 'once' : `${String(maxVisits)} times`;
  const text = `\`${step}\` was entered ${times}, the limit of this run: \`--max-visits\` sets it`;
  return ended('end', { class: 'NON_RETRYABLE', reason: { code: 'E_STEP', text } });
}

/** Skips a step. A skip by its own condition leaves later steps free, except for a gate. */
export function skip(entered: StepVisit, reason: SkipReason): Fact {
  const own =
    reason.why === 'failed' || (reason.why === 'condition' && entered.rule.step.work.kind !== 'gate');
  const leaves = own ? 'satisfied' : 'closed';
  return { type: 'skipped', path: entered.path, reason, ...aftermath(entered, leaves, 'success', null) };
}

/** The outputs of a settled step. */
export interface StepOutput {
  readonly values: Readonly<Record<string, Json>> | readonly Json[];
  readonly artifacts: readonly ArtifactRecord[];
  readonly convergence: ConvergenceState | null;
  /** What it sets in `context`; absent: nothing. */
  readonly context?: Readonly<Record<string, Json>>;
}

export const noOutput: StepOutput = { values: {}, artifacts: [], convergence: null };

export function succeed(
  entered: StepVisit,
  status: 'SUCCEEDED' | 'INCOMPLETE',
  output: StepOutput,
): Extract<Fact, { type: 'settled' }> {
  const { path } = entered;
  const after = aftermath(entered, 'satisfied', 'success', null);
  return {
    type: 'settled',
    path,
    status,
    class: null,
    reason: null,
    context: {},
    ends: null,
    ...output,
    ...after,
  };
}

/**
 * Ends a loop or sub-workflow in which a step ended the whole sequence. A sequence around it ends
 * with it; in a graph it is a step that ended like any other.
 */
export function exit(entered: StepVisit, failure: Failure | null, output: StepOutput): Fact[] {
  const facts: Fact[] =
    failure === null
      ? [succeed(entered, 'SUCCEEDED', output)]
      : fail(entered, { ...failure, timedOut: false });
  if (entered.rule.body.body.kind === 'graph') return facts;
  const next = ended('exit', failure);
  return facts.map((fact) => (fact.type === 'settled' ? { ...fact, next } : fact));
}

export interface StepFailure {
  readonly class: ErrorClass;
  readonly reason: Reason;
  readonly timedOut: boolean;
}

/** A step that failed permanently, and the consequence under its policy. */
export function fail(
  entered: StepVisit,
  failure: StepFailure,
  convergence: ConvergenceState | null = null,
): Fact[] {
  const { onFailure } = entered.rule.step;
  if (failure.class === 'FATAL') return abort(entered, failure, convergence);
  if (entered.rule === entered.rule.body.last) return [failed(entered, failure, 'closed', convergence)];
  if (entered.rule.body.body.kind === 'sequence') return [failed(entered, failure, 'satisfied', convergence)];
  switch (onFailure) {
    case 'continue':
      return [failed(entered, failure, 'satisfied', convergence)];
    case 'skip':
      return [skip(entered, { why: 'failed', reason: failure.reason })];
    case 'skip-dependents':
      return [failed(entered, failure, 'closed', convergence)];
    case 'abort':
    case 'retry':
    case 'rollback':
      return abort(entered, failure, convergence);
  }
}

/** A step that failed and ends its body; a fatal failure ends the run. */
export function abort(
  entered: StepVisit,
  failure: StepFailure,
  convergence: ConvergenceState | null = null,
): Fact[] {
  const settled = failed(entered, failure, 'closed', convergence);
  // What runs finally runs, whatever the others of it do.
  if (entered.scope.isLast === true) return [settled];
  return [{ ...settled, ends: failure.class === 'FATAL' ? '' : entered.scope.path }];
}

function failed(
  entered: StepVisit,
  { class: errorClass, reason, timedOut }: StepFailure,
  leaves: 'satisfied' | 'closed',
  convergence: ConvergenceState | null,
): Extract<Fact, { type: 'settled' }> {
  const { path } = entered;
  const way = timedOut ? 'timeout' : 'failure';
  const after = aftermath(entered, leaves, way, { path, class: errorClass, reason });
  const output = { ...noOutput, convergence };
  return {
    type: 'settled',
    path,
    status: 'FAILED',
    class: errorClass,
    reason,
    context: {},
    ends: null,
    ...output,
    ...after,
  };
}

/**
 * A gate that was not approved: it closes what depends on it, and other branches continue.
 * `values`: of the answer; empty: there is none.
 */
export function shut(entered: StepVisit, reason: Reason, values: StepOutput['values'] = {}): Fact {
  // A sequence names its next step itself, having considered the failure.
  const { body, step } = entered.rule;
  const leaves = body.body.kind === 'sequence' && step.next !== null ? 'satisfied' : 'closed';
  return { ...failed(entered, { class: 'NON_RETRYABLE', reason, timedOut: false }, leaves, null), values };
}
