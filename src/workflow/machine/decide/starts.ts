import type { Fact } from '../event.ts';
import { isIn } from '../fold/steps.ts';
import { nextKey, tryLaunch, workerOf } from '../resolve.ts';
import type { StepVisit } from '../scope.ts';
import { chooseRole } from './choosing.ts';
import { failUnresolved } from './entering.ts';
import { startCheck } from './outcomes.ts';
import type { Room } from './room.ts';
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
    if (!entered) continue;
    const isWorker = isIn(run, 'waiting');
    if (!room.fits(entered.scope, isWorker ? entered.rule.provider : entered.rule.checkProvider)) continue;
    facts.push(...(isWorker ? start(context, room, entered) : startCheck(context, room, entered, run)));
  }
  for (const path of state.ready) {
    if (room.full) return facts;
    const entered = found(context, path);
    if (entered && room.fits(entered.scope, entered.rule.provider))
      facts.push(...start(context, room, entered));
  }
  // A run that is ending starts nothing.
  const ends = facts.some(
    (fact) => fact.type === 'ending' || (fact.type === 'settled' && fact.ends !== null),
  );
  return ends ? facts.filter(({ type }) => type !== 'started') : facts;
}

/** Starts one worker; nothing while it must wait for its provider or for money. */
function start(context: DecisionContext, room: Room, entered: StepVisit): Fact[] {
  const { state, rules, now } = context;
  const { path, rule } = entered;
  const worker = workerOf(state, rules, entered);
  if (!worker.ok) return failUnresolved(entered, worker.why);
  const { provider, budget } = worker.value;
  if (provider !== null && (state.parked.get(provider) ?? 0) > now) return [];
  const costs = provider !== null || rule.step.work.kind === 'role';
  const reserves = costs ? budget : null;
  const money = costs ? room.afford(entered.scope, reserves) : 'fits';
  const msats = costs ? room.affordMsats() : 'fits';
  if (money === 'later' || msats === 'later') return [];
  if (msats === 'never') return [usedUp(state, path)];
  if (money === 'never') {
    const reason = { code: 'E_BUDGET', text: 'the budget of the run is used up' } as const;
    return fail(entered, { class: 'FATAL', reason, timedOut: false });
  }
  const mayBeUnresolvable = rule.dynamic || rule.step.inputs.some(({ required }) => required);
  const launch = mayBeUnresolvable
    ? tryLaunch(state, rules, entered, nextKey(state.steps.get(path), path))
    : null;
  if (launch?.ok === false) return failUnresolved(entered, launch.why);
  const share = costs ? room.share(reserves) : reserves;
  room.take(entered.scope.path, provider, share);
  const role = rule.step.work.kind === 'role' ? chooseRole(context, room, rule.step.work, path) : null;
  return [{ type: 'started', path, provider, reserves: share, role }];
}
