import { parkedUntil } from '../../../kernel/usage-limits.ts';
import { approvalValues } from '../approval.ts';
import { clockNow } from '../clock.ts';
import type { Fact } from '../event.ts';
import { isIn } from '../fold/steps.ts';
import { automaticApprover } from '../../reserved.ts';
import { workerOf } from '../resolve.ts';
import type { StepRun } from '../state.ts';
import { abort, found, isFinishing, noOutput, shut, succeed, type DecisionContext } from './context.ts';
import { continueBody } from './bodies.ts';

/** What must be recorded because time has passed. */
export function times(context: DecisionContext): Fact[] {
  const { state, rules, now } = context;
  const timeout = state.given?.timeout ?? null;
  const isBounded = state.ending === null && !isFinishing(state, rules.root, '');
  if (timeout !== null && isBounded && clockNow(state, now) >= timeout)
    return [{ type: 'ending', scope: '', ending: { why: 'timed-out' } }];
  const facts: Fact[] = [];
  for (const path of state.active) {
    const run = state.steps.get(path);
    if (isIn(run, 'asked') && run.phase.deadline !== null && run.phase.deadline <= now)
      facts.push(...approvalTimeout(context, run));
    if (isIn(run, 'open') && isOverdue(context, run)) {
      const entered = found(context, path);
      if (entered) facts.push(...continueBody(context, entered, run));
    }
  }
  return facts;
}

function isOverdue({ state, now }: DecisionContext, { open }: StepRun): boolean {
  return open !== null && open.timeout !== null && clockNow(state, now) - open.clockAt >= open.timeout;
}

function approvalTimeout(context: DecisionContext, run: StepRun): Fact[] {
  const entered = found(context, run.path);
  if (entered?.rule.step.work.kind !== 'gate') return [];
  const reason = { code: 'E_TIMEOUT', text: 'not approved before the deadline' } as const;
  switch (entered.rule.step.work.onTimeout) {
    case 'approve': {
      const answer = { by: automaticApprover, comment: null, choice: 'approve', fields: {} };
      const values = approvalValues(entered.rule.step, answer);
      const settled = succeed(entered, 'SUCCEEDED', { ...noOutput, values });
      return [{ ...settled, reason: { ...reason, text: 'approved automatically: no decision in time' } }];
    }
    case 'reject':
      return [shut(entered, reason)];
    case 'abort':
      return abort(entered, { class: 'NON_RETRYABLE', reason, timedOut: true });
  }
}

/**
 * Starts or stops the run's clock: it stops while the run waits only for people, gates or
 * rate-limited providers, or is paused and nothing of it runs.
 */
export function clocked(context: DecisionContext): Fact[] {
  const { state } = context;
  const runs = state.ending !== null || !isIdle(context);
  return runs === (state.clock.since !== null) ? [] : [{ type: 'clocked', runs }];
}

function isIdle(context: DecisionContext): boolean {
  const { state, now } = context;
  let waiting = 0;
  for (const path of state.active) {
    const run = state.steps.get(path);
    if (isIn(run, 'open')) continue;
    const isHeld =
      isIn(run, 'waiting', 'check-waiting') &&
      (state.paused !== null || (run.phase.provider !== null && run.phase.notBefore > now));
    const waits = isIn(run, 'asked') || isHeld || (isIn(run, 'running') && run.phase.waits);
    if (!waits) return false;
    waiting += 1;
  }
  for (const path of state.ready) {
    if (state.paused !== null) return true;
    const entered = found(context, path);
    const worker = entered && workerOf(state, context.rules, entered);
    const provider = worker?.ok === true ? worker.value.provider : null;
    if (provider === null || parkedUntil(state, provider) <= now) return false;
    waiting += 1;
  }
  return waiting > 0;
}

/** When to decide again without an event, in milliseconds since 1970; null: never. */
export function nextWake(context: DecisionContext): number | null {
  const { state, now } = context;
  let next = Infinity;
  const at = (time: number): void => {
    if (time > now && time < next) next = time;
  };
  for (const path of state.active) {
    const run = state.steps.get(path);
    if (isIn(run, 'waiting', 'check-waiting')) at(run.phase.notBefore);
    if (isIn(run, 'asked') && run.phase.deadline !== null) at(run.phase.deadline);
    if (run?.open?.timeout != null && isIn(run, 'open') && state.clock.since !== null)
      at(now + run.open.timeout - (clockNow(state, now) - run.open.clockAt));
  }
  const timeout = state.given?.timeout ?? null;
  if (timeout !== null && state.clock.since !== null) at(now + timeout - clockNow(state, now));
  for (const until of state.parked.values()) at(until);
  return Number.isFinite(next) ? next : null;
}
