import type { Cost, Budget, Session, Usage } from '../../../kernel/cost.ts';
import { credible, settled as settledCost } from '../../../kernel/money.ts';
import { limitUsage } from '../../../kernel/usage-limits.ts';
import type { Fact, Happening, UsedByPath } from '../event.ts';
import type { WorkResult } from '../work-result.ts';
import { rejecting } from '../../reserved.ts';
import { contractMissed, meetsFurther, unapprovedIn } from '../failure-names.ts';
import { settledUnits } from '../credit.ts';
import type { RunState, StepRun } from '../state.ts';
import { current, enter, isIn, put, spend, type In } from './steps.ts';

type Of<T extends (Fact | Happening)['type']> = Extract<Fact | Happening, { type: T }>;

/** A worker starts. */
export function start(state: RunState, { path, provider, reserves, role }: Of<'started'>): void {
  const run = enter(state, path);
  if (!isIn(run, 'pending', 'waiting')) return;
  run.attempt += 1;
  run.startedAt ??= state.now;
  if (role !== null) run.role = role;
  run.host = null;
  const since = state.now;
  put(
    state,
    run,
    { is: 'running', since, provider, reserves, launched: null, worker: null, waits: false, posted: false },
    false,
  );
}

/** A check starts. */
export function check(state: RunState, { path, id, provider, reserves }: Of<'checking'>): void {
  const run = state.steps.get(path);
  if (!isIn(run, 'ended', 'check-waiting')) return;
  run.checks += 1;
  put(state, run, { is: 'checking', id, since: state.now, provider, reserves }, false);
}

export function launch(state: RunState, { key, process }: Of<'launched'>): void {
  const run = current(state, key);
  if (run?.phase.is === 'running') run.phase = { ...run.phase, launched: process };
}

export function assign(state: RunState, { key, worker }: Of<'assigned'>): void {
  const run = current(state, key);
  if (run?.phase.is !== 'running') return;
  run.phase = { ...run.phase, worker };
  run.host = worker?.host ?? null;
}

export function roleWaits(state: RunState, { key, waits }: Of<'role-waits'>): void {
  const run = current(state, key);
  if (isIn(run ?? undefined, 'running')) run!.phase = { ...(run as In<'running'>).phase, waits };
}

/** The step was sent as mail. */
export function post(state: RunState, { key }: Of<'posted'>): void {
  const run = current(state, key);
  if (run?.phase.is === 'running') run.phase = { ...run.phase, posted: true };
}

/** A worker has ended normally. */
export function end(state: RunState, { key, result }: Of<'ended'>): void {
  const run = current(state, key);
  if (!run || run.phase.is !== 'running') return;
  const { reserves, provider } = run.phase;
  spend(state, run, costOf(state, result, reserves), { provider, model: result.model, host: run.host });
  if (run.role !== null) rememberRole(state, run, run.role, result.outcome, credible(result.usage, reserves));
  run.result = result;
  run.crashes = 0;
  if (counts(result)) run.attempts += 1;
  else run.limits += 1;
  const isFailure = result.outcome.is === 'failed' && unapprovedIn(result) === null;
  if (counts(result) && isFailure && !meetsFurther(result)) run.failures += 1;
  if (result.outcome.is === 'failed' && result.outcome.reported === contractMissed) run.misses += 1;
  put(state, run, { is: 'ended', result, provider }, true);
}

function costOf(state: RunState, result: WorkResult, reserves: Budget | null): Cost {
  const isUnpricedLimit = !counts(result) && result.usage.usd === null;
  if (isUnpricedLimit) return settledCost(limitUsage(result.usage), null);
  return priced(state, result.usage, reserves);
}

function priced({ given }: RunState, reported: Usage, reserves: Budget | null): Cost {
  const usage = credible(reported, reserves);
  return settledUnits(settledCost(usage, reserves), usage, reserves, given?.currency?.perUsd ?? null);
}

/** Records what the next choice of a role needs. */
function rememberRole(
  state: RunState,
  run: StepRun,
  role: string,
  outcome: WorkResult['outcome'],
  usage: Usage,
): void {
  if (outcome.is === 'failed') run.failedRoles = [...new Set([...run.failedRoles, role])];
  else run.failedRoles = [];
  if (usage.usd === null) return;
  const { usd, launches } = state.rolePrices.get(role) ?? { usd: 0, launches: 0 };
  state.rolePrices.set(role, { usd: usd + usage.usd, launches: launches + 1 });
}

/** Whether a launch counts towards its limit: a provider's rate limit does not. */
function counts({ outcome }: WorkResult): boolean {
  return outcome.is === 'done' || outcome.class !== 'RETRYABLE_RATE_LIMIT';
}

/** A check has ended normally. */
export function judge(state: RunState, { key, result, verdict }: Of<'checked'>): void {
  const run = current(state, key);
  if (!run || run.phase.is !== 'checking') return;
  const { reserves, provider } = run.phase;
  spend(state, run, costOf(state, result, reserves), { provider, model: result.model, host: null });
  run.crashes = 0;
  if (!counts(result)) run.limits += 1;
  countSession(run, result.session);
  if (verdict.is === 'summarised') run.summary = { text: verdict.text, problem: verdict.problem };
  put(state, run, { is: 'checked', result, verdict, provider }, true);
}

/**
 * A summary, or a launch that was stopped, continues its worker's conversation: the total of that
 * conversation is charged once, however often it is reported.
 */
function countSession(run: StepRun, session: Session | null): void {
  if (session !== null && run.result?.session?.id === session.id) run.result = { ...run.result, session };
}

/** A process that was interrupted starts again, uncounted. */
export function putBack(state: RunState, run: In<'running' | 'checking'>, used?: UsedByPath): void {
  writeOff(state, run, used);
  const is = run.phase.is === 'checking' ? 'check-waiting' : 'waiting';
  put(state, run, { is, notBefore: 0, provider: null }, false);
}

/**
 * Settles the reservation of a launch whose end will never be recorded, and returns its usage: what
 * its agent had reported.
 */
export function writeOff(state: RunState, run: In<'running' | 'checking'>, used: UsedByPath = []): Usage {
  const { provider, reserves } = run.phase;
  const { usage, session } = used.find(({ path }) => path === run.path) ?? unknown;
  if (provider === null) return usage;
  const host = run.phase.is === 'checking' ? null : run.host;
  spend(state, run, priced(state, usage, reserves), { provider, model: null, host });
  countSession(run, session);
  return usage;
}

const unknown = { usage: { usd: null, tokens: null }, session: null } as const;

/** Grants another attempt, or another try of the check. */
export function retry(state: RunState, event: Of<'retrying'>): void {
  const run = state.steps.get(event.path);
  const { notBefore, provider, counted } = event;
  if (event.what === 'worker') {
    if (isIn(run, 'ended', 'judged')) put(state, run, { is: 'waiting', notBefore, provider }, false);
    return;
  }
  if (!isIn(run, 'ended', 'checked')) return;
  if (counted) run.checkFailures += 1;
  put(state, run, { is: 'check-waiting', notBefore, provider }, false);
}

/** The work is incomplete, by its check or because the worker stalled: the worker runs again. */
export function iterate(state: RunState, event: Of<'iterating'>): void {
  const run = state.steps.get(event.path);
  if (!isIn(run, 'ended', 'checked')) return;
  run.iteration += 1;
  run.attempt = 0;
  run.failures = 0;
  run.misses = 0;
  run.limits = 0;
  run.checks = 0;
  run.checkFailures = 0;
  run.convergence = event.convergence;
  const { reasons, fingerprints, log } = event;
  run.outstanding = { reasons, fingerprints, log };
  put(state, run, { is: 'waiting', notBefore: 0, provider: null }, false);
}

/** A gate asks for approval, or a landing that changes rules. */
export function ask(state: RunState, event: Of<'asked'>): void {
  const { path, message, approvers, choices, fields, deadline } = event;
  const known = state.steps.get(path);
  const run = isIn(known, 'ended') && unapprovedIn(known.phase.result) !== null ? known : enter(state, path);
  if (!isIn(run, 'pending', 'ended')) return;
  run.startedAt ??= state.now;
  put(state, run, { is: 'asked', message, approvers, choices, fields, deadline }, false);
}

/** It is answered: once, in time, and only by a person. */
export function answer(state: RunState, event: Of<'judged'>): void {
  const { path, choice, by, comment, fields, said } = event;
  const run = state.steps.get(path);
  if (!isIn(run, 'asked') || (run.phase.deadline !== null && said > run.phase.deadline)) return;
  if (choice !== rejecting) run.approvedRules = run.result && unapprovedIn(run.result);
  put(state, run, { is: 'judged', choice, by, comment, fields }, true);
}
