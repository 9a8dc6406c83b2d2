import type { RoleName } from '../../../kernel/ids.ts';
import type { MailState } from '../state.ts';

const hour = 3_600_000;
/** A file may be complete only some time after the agent that wrote it has ended. */
const recently = 60_000;

type Dropped = Pick<MailState, 'turns' | 'agentsRan' | 'dropped'>;

/** Whether agents may have written the files that lie in inboxes now. */
function mayBeAgents({ turns, agentsRan }: Dropped, now: number): boolean {
  return turns.size > 0 || now - agentsRan <= recently;
}

/** Counts a file that lay in the inbox of a role. */
export function countDropped(state: MailState, role: RoleName): void {
  if (!mayBeAgents(state, state.now)) return;
  const recent = (state.dropped.get(role) ?? []).filter((at) => at + hour > state.now);
  state.dropped.set(role, [...recent, state.now]);
}

/**
 * Until when a further file in the inbox of a role waits, as `most` were accepted within an hour
 * while agents ran; null: it does not. `uncounted`: how many are accepted and not recorded yet;
 * Infinity: until they are.
 */
export function waitsUntil(
  state: Dropped,
  role: RoleName,
  now: number,
  { most, uncounted }: { readonly most: number; readonly uncounted: number },
): number | null {
  const room = mayBeAgents(state, now) ? most - uncounted : most;
  if (room <= 0) return Infinity;
  const first = state.dropped.get(role)?.at(-room);
  return first === undefined || first + hour <= now ? null : first + hour;
}
