import { looksLikeFailure } from '../../../kernel/output-excerpt.ts';
import { parkedUntil, mostLimits, restUntil, tooManyLimits } from '../../../kernel/usage-limits.ts';
import { approvalValues } from '../approval.ts';
import { pause } from '../../../kernel/backoff.ts';
import { afterIncomplete, isHopeless, mostChecks } from '../convergence.ts';
import type { Fact } from '../event.ts';
import type { Verdict, WorkResult } from '../work-result.ts';
import { isIn, type In } from '../fold/steps.ts';
import type { Check } from '../../model.ts';
import { rejecting } from '../../reserved.ts';
import type { ResolveFailure } from '../evaluation.ts';
import { contractMissed, failureName, meetsFurther, unapprovedIn } from '../failure-names.ts';
import { isUnfinished } from '../outcome.ts';
import { tryLaunch } from '../resolve.ts';
import type { StepVisit } from '../scope.ts';
import type { StepRun } from '../state.ts';
import { hasOther } from './choosing.ts';
import type { Room } from './room.ts';
import {
  abort,
  fail,
  isEnding,
  noOutput,
  shut,
  succeed,
  type StepOutput,
  type DecisionContext,
  type StepFailure,
} from './context.ts';
import type { Reason } from '../../../kernel/errors.ts';

const second = 1_000;
type Failed = Extract<WorkResult['outcome'], { is: 'failed' }>;

/** What follows for a step whose worker, check or gate has a result. */
export function outcome(context: DecisionContext, room: Room, entered: StepVisit, run: StepRun): Fact[] {
  if (isIn(run, 'judged')) return approvalOutcome(context, entered, run);
  if (isIn(run, 'looking')) return lookOutcome(entered, run);
  if (isIn(run, 'ended')) return workOutcome(context, room, entered, run);
  return isIn(run, 'checked') ? checkOutcome(context, entered, run) : [];
}

/** A path that must not be looked at ends the run. */
function lookOutcome(entered: StepVisit, { phase }: In<'looking'>): Fact[] {
  return phase.problem === null
    ? []
    : fail(entered, { class: 'FATAL', reason: phase.problem, timedOut: false });
}

function approvalOutcome({ now }: DecisionContext, entered: StepVisit, run: In<'judged'>): Fact[] {
  const { path, phase } = run;
  const { by, comment } = phase;
  const said = comment === null ? '' : `: ${comment}`;
  const values = approvalValues(entered.rule.step, phase);
  if (phase.choice === rejecting)
    return [shut(entered, { code: 'E_REFUSED', text: `rejected by ${by}${said}` }, values)];
  if (entered.rule.step.work.kind === 'gate') return [succeed(entered, 'SUCCEEDED', { ...noOutput, values })];
  // What a person has let land lands now.
  return [{ type: 'retrying', path, what: 'worker', notBefore: now, provider: null, counted: false }];
}

/** A landing that changes rules asks a person. */
function asksAboutRules({ path }: StepVisit, { reason }: Failed): Fact {
  const nothing = { approvers: [], choices: ['approve', rejecting], fields: {}, deadline: null };
  return { type: 'asked', path, message: reason.text, ...nothing };
}

function workOutcome(context: DecisionContext, room: Room, entered: StepVisit, run: In<'ended'>): Fact[] {
  const { result } = run.phase;
  const { check } = entered.rule.step;
  const ending = isEnding(context.state, entered.scope);
  if (result.outcome.is === 'done') {
    if (check === null || (ending && check.purpose === 'summary'))
      return [succeed(entered, 'SUCCEEDED', outputOf(run, result))];
    return ending ? [] : startCheck(context, room, entered, run);
  }
  // A failure while everything ends was a stop: the end settles it.
  if (ending) return [];
  if (isUnfinished(entered.rule.step, result)) return unfinished(entered, run, result.outcome.reason);
  return workFailure(context, entered, run, result.outcome);
}

/** A worker that was ended because it printed nothing: its check, if it has one, is not asked. */
function unfinished(entered: StepVisit, run: In<'ended'>, reason: Reason): Fact[] {
  const { check } = entered.rule.step;
  if (check === null || check.purpose === 'summary')
    return [{ ...succeed(entered, 'INCOMPLETE', outputOf(run, run.phase.result)), reason }];
  return incomplete(entered, run, check, { reasons: [reason.text], fingerprints: ['stalled'], log: null });
}

function outputOf({ convergence }: StepRun, { values, artifacts }: WorkResult): StepOutput {
  return { values, artifacts, convergence };
}

function workFailure(
  context: DecisionContext,
  entered: StepVisit,
  run: In<'ended'>,
  failure: Failed,
): Fact[] {
  const { path, failures, iteration, attempt } = run;
  const { retry, work } = entered.rule.step;
  const retrying = { type: 'retrying', path, what: 'worker' } as const;
  if (work.kind === 'land' && unapprovedIn(run.phase.result) !== null)
    return [asksAboutRules(entered, failure)];
  // Each time, one more of the commits is merged.
  if (meetsFurther(run.phase.result))
    return [{ ...retrying, notBefore: context.now, provider: null, counted: false }];
  const isNever = retry.never?.includes(failureName(failure)) === true;
  if (failure.class === 'RETRYABLE_RATE_LIMIT' && !isNever) {
    const { provider } = run.phase;
    if (run.limits >= mostLimits) return fail(entered, limitFailure(failure.reason));
    // The limit is that of one login: its worker leaves such steps to workers with another one.
    if (run.host !== null) return [{ ...retrying, notBefore: context.now, provider: null, counted: false }];
    const { facts, until } = park(context, run, provider, failure.until);
    return [...facts, { ...retrying, notBefore: until, provider, counted: false }];
  }
  const { exitCode } = run.phase.result;
  const isMeant = retry.codes === null || (exitCode !== null && retry.codes.includes(exitCode));
  const isMissedOutput =
    retry.missingOutputs === true && failure.reported === contractMissed && run.misses <= 1;
  const isOthers = failure.class === 'NON_RETRYABLE' && hasOther(work, run);
  // An author who names an exit code knows better than its class.
  const isNamed = retry.codes !== null && isMeant && ['command', 'script'].includes(work.kind);
  const mayHelp = failure.class === 'RETRYABLE_TRANSIENT' || isMissedOutput || isOthers || isNamed;
  if (mayHelp && !isNever && isMeant && failures <= retry.max) {
    const key = `${context.state.given?.run ?? ''} ${path} ${String(iteration)} ${String(attempt)}`;
    const notBefore = context.now + pause(retry, failures, key);
    return [{ ...retrying, notBefore, provider: null, counted: true }];
  }
  return fail(entered, failure);
}

/** Parks a provider at its usage limit: nothing uses it until then. */
function park(
  { now }: DecisionContext,
  { limits }: StepRun,
  provider: string | null,
  named: number | null,
): { facts: Fact[]; until: number } {
  const until = restUntil(named, limits, now);
  return { facts: provider === null ? [] : [{ type: 'parked', provider, until }], until };
}

function limitFailure({ code, text }: Reason): StepFailure {
  const reason = { code, text: tooManyLimits(text) };
  return { class: 'NON_RETRYABLE', reason, timedOut: false };
}

/** Starts the check of a worker that has ended, or reports when it can start. */
export function startCheck(context: DecisionContext, room: Room, entered: StepVisit, run: StepRun): Fact[] {
  const { state, rules, now } = context;
  const { check } = entered.rule.step;
  const { checkProvider: provider } = entered.rule;
  const { path, iteration, attempt, checks } = run;
  if (check === null) return [];
  const isSummary = check.purpose === 'summary';
  const without = (failure: StepFailure): Fact[] =>
    isSummary ? summarised(entered, run) : fail(entered, failure);
  const until = provider === null ? 0 : parkedUntil(state, provider);
  if (until > now)
    return [{ type: 'retrying', path, what: 'check', notBefore: until, provider, counted: false }];
  // The slot of a script's process does not serve an agent that checks it.
  if (!room.fits(entered.scope, provider))
    return [{ type: 'retrying', path, what: 'check', notBefore: now, provider: null, counted: false }];
  const reserves = provider === null ? null : check.budget;
  const money = provider === null ? 'fits' : room.afford(entered.scope, reserves);
  if (money === 'later') return [];
  if (money === 'never') {
    const reason = { code: 'E_BUDGET', text: room.shortage(entered.scope, reserves) } as const;
    return without({ class: 'FATAL', reason, timedOut: false });
  }
  const launch = tryLaunch(state, rules, entered, { path, iteration, attempt, check: checks + 1 });
  if (!launch.ok) return without(cannot(launch.why));
  room.take(entered.scope.path, provider, reserves);
  const id = [state.given?.run ?? '', path, iteration, attempt, checks + 1].map(String).join('.');
  return [{ type: 'checking', path, id, provider, reserves }];
}

function cannot(why: ResolveFailure): StepFailure {
  const text = 'files cannot be asked about in a check';
  const unasked = { code: 'E_EXPRESSION', text } as const;
  const reason = why.is === 'failed' ? why.reason : unasked;
  return { class: 'NON_RETRYABLE', reason, timedOut: false };
}

function checkOutcome(context: DecisionContext, entered: StepVisit, run: In<'checked'>): Fact[] {
  const { check } = entered.rule.step;
  const { verdict } = run.phase;
  if (verdict.is === 'complete' && run.result)
    return [succeed(entered, 'SUCCEEDED', outputOf(run, run.result))];
  if (verdict.is === 'summarised') return summarised(entered, run);
  if (check === null || isEnding(context.state, entered.scope)) return [];
  if (verdict.is === 'incomplete') return incomplete(entered, run, check, verdict);
  return verdict.is === 'none' ? noVerdict(context, entered, run, verdict) : [];
}

/** With or without a summary, the work itself is complete. */
function summarised(entered: StepVisit, run: StepRun): Fact[] {
  return run.result === null ? [] : [succeed(entered, 'SUCCEEDED', outputOf(run, run.result))];
}

function incomplete(
  entered: StepVisit,
  run: StepRun,
  check: Check,
  verdict: Omit<Extract<Verdict, { is: 'incomplete' }>, 'is'>,
): Fact[] {
  const { reasons, fingerprints, log } = verdict;
  const settings = check.convergence;
  const convergence = settings ? afterIncomplete(settings, run.convergence, verdict) : run.convergence;
  const where = log === null ? '' : ` (its output is in ${log})`;
  const said = `${reasons.length > 0 ? `: ${clearestReasons(reasons, log).join('; ')}` : ''}${where}`;
  if (settings && isHopeless(settings, convergence)) {
    const text = `the work does not come nearer to complete (stage ${String(convergence.stage)})${said}`;
    const failure = {
      class: 'NON_RETRYABLE',
      reason: { code: 'E_INCOMPLETE', text },
      timedOut: false,
    } as const;
    return fail(entered, failure, convergence);
  }
  if (run.iteration < check.maxIterations)
    return [{ type: 'iterating', path: run.path, convergence, reasons, fingerprints, log }];
  const text = `incomplete after ${String(run.iteration)} iterations${said}`;
  const reason = { code: 'E_INCOMPLETE', text } as const;
  if (check.onExhausted === 'continue' && run.result)
    return [{ ...succeed(entered, 'INCOMPLETE', { ...outputOf(run, run.result), convergence }), reason }];
  return abort(entered, { class: 'NON_RETRYABLE', reason, timedOut: false }, convergence);
}

/** At most three reasons; of a program's output, lines that look like failures if there are any. */
function clearestReasons(reasons: readonly string[], log: string | null): string[] {
  const failures = log === null ? [] : reasons.filter(looksLikeFailure);
  return (failures.length > 0 ? failures : reasons).slice(0, 3).map((reason) => reason.trim());
}

/** The check runs again, without the worker. */
function noVerdict(
  context: DecisionContext,
  entered: StepVisit,
  run: In<'checked'>,
  { reason, final }: Extract<Verdict, { is: 'none' }>,
): Fact[] {
  const { path } = run;
  const { provider, result } = run.phase;
  const retrying = { type: 'retrying', path, what: 'check' } as const;
  const limit =
    result.outcome.is === 'failed' && result.outcome.class === 'RETRYABLE_RATE_LIMIT' ? result.outcome : null;
  if (limit && run.limits < mostLimits) {
    const { facts, until } = park(context, run, provider, limit.until);
    return [...facts, { ...retrying, notBefore: until, provider, counted: false }];
  }
  if (entered.rule.step.check?.purpose === 'summary') return summarised(entered, run);
  if (limit) return fail(entered, limitFailure(reason));
  if (final || run.checkFailures + 1 >= mostChecks)
    return fail(entered, { class: 'NON_RETRYABLE', reason, timedOut: false });
  const failed = result.outcome.is === 'failed';
  const notBefore = failed
    ? context.now + pause(checkRetry, run.checkFailures + 1, `${path} check`)
    : context.now;
  return [{ ...retrying, notBefore, provider: null, counted: true }];
}

const checkRetry = { max: mostChecks, base: second, factor: 2, cap: 30 * second, jitter: true, codes: null };
