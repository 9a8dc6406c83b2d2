import { parkedUntil } from '../../../kernel/usage-limits.ts';
import type { Fact } from '../event.ts';
import type { Budget } from '../../../kernel/cost.ts';
import type { Fit } from '../../../kernel/money.ts';
import { isIn } from '../fold/steps.ts';
import { nextKey, tryLaunch, workerOf } from '../resolve.ts';
import type { Work } from '../../model.ts';
import type { StepRule } from '../rules.ts';
import type { StepVisit } from '../scope.ts';
import { chooseRole } from './choosing.ts';
import { expands, failUnresolved } from './entering.ts';
import { startCheck } from './outcomes.ts';
import type { Room } from './room.ts';
import { lastFailure } from '../view.ts';
import { fail, found, usedUp, type DecisionContext } from './context.ts';

/**
 * Starts waiting steps while there is room: first those that have run before, then the ready ones
 * in order.
 */
export function starts(context: DecisionContext, room: Room): Fact[] {
  const { state, now } = context;
  const facts: Fact[] = [];
  for (const path of state.active) {
    if (room.full) return facts;
    const run = state.steps.get(path);
    if (!isIn(run, 'waiting', 'check-waiting') || run.phase.notBefore > now) continue;
    const entered = found(context, path);
    if (!entered || heldBack(context, room, entered) !== null) continue;
    const isWorker = isIn(run, 'waiting');
    facts.push(...(isWorker ? start(context, room, entered) : startCheck(context, room, entered, run)));
  }
  for (const path of state.ready) {
    if (room.full) return facts;
    const entered = found(context, path);
    if (entered && heldBack(context, room, entered) === null) facts.push(...start(context, room, entered));
  }
  // A run that is ending starts nothing.
  const ends = facts.some(
    (fact) => fact.type === 'ending' || (fact.type === 'settled' && fact.ends !== null),
  );
  return ends ? facts.filter(({ type }) => type !== 'started') : facts;
}

/** Why a step that waits only to start must wait; `explain` reports it. */
export type Hold = 'paused' | 'backoff' | 'usage_limit' | 'concurrency' | 'budget';

/** What holds back the next launch of a step, of its worker or its check; null: nothing. */
export function heldBack(context: DecisionContext, room: Room, entered: StepVisit): Hold | null {
  const { state, now } = context;
  const { path, rule, scope } = entered;
  if (state.paused !== null) return 'paused';
  const run = state.steps.get(path);
  if (isIn(run, 'waiting', 'check-waiting') && run.phase.notBefore > now)
    return run.phase.provider === null ? 'backoff' : 'usage_limit';
  const isCheck = isIn(run, 'check-waiting');
  if (!room.fits(scope, isCheck ? rule.checkProvider : slotOf(rule, rule.provider))) return 'concurrency';
  const worker = isCheck ? null : workerOf(state, context.rules, entered);
  // A worker that cannot be resolved fails when it starts.
  if (worker?.ok === false) return null;
  const { provider, money, units } =
    worker === null ? checkCost(room, entered) : workerCost(room, entered, worker.value);
  const used = isCheck ? provider : slotOf(rule, provider);
  if (used !== null && parkedUntil(state, used) > now) return 'usage_limit';
  return money === 'later' || units === 'later' ? 'budget' : null;
}

/** The provider whose slots and limits on this host a worker uses; null: it uses none of them. */
function slotOf({ step }: StepRule, provider: string | null): string | null {
  return step.on === undefined ? provider : null;
}

/** What a launch uses: the provider, its reservation, and whether there is money for it. */
interface LaunchCost {
  readonly provider: string | null;
  readonly costs: boolean;
  readonly reserves: Budget | null;
  readonly money: Fit;
  readonly units: Fit;
}

function workerCost(
  room: Room,
  { scope, rule }: StepVisit,
  { provider, budget }: { readonly provider: string | null; readonly budget: Budget | null },
): LaunchCost {
  const costs = provider !== null || rule.step.work.kind === 'role';
  if (!costs) return { provider, costs, reserves: null, money: 'fits', units: 'fits' };
  return { provider, costs, reserves: budget, money: room.afford(scope, budget), units: room.affordUnits() };
}

function checkCost(room: Room, { scope, rule }: StepVisit): LaunchCost {
  const { checkProvider: provider } = rule;
  const reserves = rule.step.check?.budget ?? null;
  const money = provider === null ? 'fits' : room.afford(scope, reserves);
  return { provider, costs: provider !== null, reserves, money, units: 'fits' };
}

/** With several commits these cannot start. */
const takesOneCommit: readonly Work['kind'][] = ['land', 'role'];

/** Starts one worker that nothing holds back. */
function start(context: DecisionContext, room: Room, entered: StepVisit): Fact[] {
  const { state, rules } = context;
  const { path, rule } = entered;
  if (rule.inner !== null) return expands(context, entered);
  const worker = workerOf(state, rules, entered);
  if (!worker.ok) return failUnresolved(entered, worker.why);
  const { budget } = worker.value;
  const { provider, money, units, costs, reserves } = workerCost(room, entered, worker.value);
  if (units === 'never') return [usedUp(state, path)];
  if (money === 'never') {
    const before = lastFailure(state, path);
    const cause = before === null ? '' : `; its last attempt failed: ${before.reason.text}`;
    const reason = { code: 'E_BUDGET', text: `${room.shortage(entered.scope, budget)}${cause}` } as const;
    return fail(entered, { class: 'FATAL', reason, timedOut: false });
  }
  const mayBeUnresolvable =
    rule.dynamic ||
    rule.step.inputs.some(({ required }) => required) ||
    takesOneCommit.includes(rule.step.work.kind);
  const launch = mayBeUnresolvable
    ? tryLaunch(state, rules, entered, nextKey(state.steps.get(path), path))
    : null;
  if (launch?.ok === false) return failUnresolved(entered, launch.why);
  const share = costs ? room.share(reserves) : reserves;
  room.take(entered.scope.path, slotOf(rule, provider), share);
  const role = rule.step.work.kind === 'role' ? chooseRole(context, room, rule.step.work, path) : null;
  return [{ type: 'started', path, provider, reserves: share, role }];
}
