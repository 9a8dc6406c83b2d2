import type { StepPath } from '../event.ts';
import type { RoleWork } from '../../model.ts';
import type { StepRun } from '../state.ts';
import type { Room } from './room.ts';
import type { DecisionContext } from './context.ts';

/**
 * The role for a step that several roles can do: preferably one that has not failed at it, then one
 * with the fewest launches now, then one with the lowest known cost per launch. Null: there is no
 * choice.
 */
export function chooseRole(
  { state }: DecisionContext,
  room: Room,
  work: RoleWork,
  path: StepPath,
): string | null {
  if (work.others.length === 0) return null;
  const failed = state.steps.get(path)?.failedRoles ?? [];
  const ranked = [work.role, ...work.others].map((role) => {
    const known = state.rolePrices.get(role);
    const price = known === undefined ? Infinity : known.usd / known.launches;
    return { role, rank: [failed.includes(role) ? 1 : 0, room.busy(role), price] };
  });
  const [{ role } = { role: work.role }] = ranked.toSorted((a, b) => compare(a.rank, b.rank));
  room.employ(role);
  return role;
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at === -1 ? 0 : a[at]! < b[at]! ? -1 : 1;
}

/** Whether a role is left that has not failed at a step. */
export function hasOther(work: { readonly kind: string }, run: StepRun): boolean {
  if (work.kind !== 'role') return false;
  const { role, others } = work as RoleWork;
  return others.length > 0 && [role, ...others].some((each) => !run.failedRoles.includes(each));
}
