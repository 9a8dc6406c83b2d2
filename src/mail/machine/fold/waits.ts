import type { Ask } from '../event.ts';
import type { MailState, Wait, WaitId } from '../state.ts';
import { keepCrossed, roleState } from './places.ts';
import { countRunning, dropFrom, setOf } from './work.ts';
import type { MessageId, RoleName, ThreadId } from '../../../kernel/ids.ts';
import type { TurnId } from '../../../letters/target.ts';

/** Begins a wait for requests that were sent together. */
export function openWait(
  state: MailState,
  role: RoleName,
  thread: ThreadId,
  blocks: Wait['blocks'],
  requests: readonly MessageId[],
  owes: readonly Ask[],
): WaitId {
  const id = `w${String(++state.lastWait)}`;
  addWait(state, { id, role, thread, blocks, requests, owes, since: state.now, turn: null });
  return id;
}

/** Adds a wait, or one that had ended. */
export function addWait(state: MailState, wait: Wait): void {
  const { id, role, thread, blocks } = wait;
  state.waits.set(id, wait);
  if (blocks !== 'none') setOf(roleState(state, role).blockedBy, scope(blocks, thread)).add(id);
  keepCrossed(state, role, thread);
  countRunning(state, thread, 1);
}

function scope(blocks: 'role' | 'thread', thread: ThreadId): ThreadId {
  return blocks === 'role' ? '' : thread;
}

/** Records that a turn has picked up the answers. */
export function resumeWait(state: MailState, id: WaitId, turn: TurnId): void {
  const wait = state.waits.get(id);
  if (!wait) return;
  state.waits.set(id, { ...wait, turn });
  roleState(state, wait.role).answered.delete(id);
}

export function closeWait(state: MailState, id: WaitId): void {
  const wait = state.waits.get(id);
  if (!wait) return;
  state.waits.delete(id);
  const { blockedBy, answered } = roleState(state, wait.role);
  answered.delete(id);
  if (wait.blocks !== 'none') dropFrom(blockedBy, scope(wait.blocks, wait.thread), id);
  keepCrossed(state, wait.role, wait.thread);
  countRunning(state, wait.thread, -1);
}

/** A failure ends a wait. `owes`: what its role still owes. */
export function cutWait(state: MailState, id: WaitId, owes: readonly Ask[]): void {
  const wait = state.waits.get(id) ?? state.cut.get(id);
  if (!wait) return;
  closeWait(state, id);
  state.cut.set(id, { ...wait, owes, turn: null });
}

/** Adds a debt to a wait: an ask that its role must answer after the wait. */
export function addDebt(state: MailState, id: WaitId, ask: Ask): void {
  const wait = state.waits.get(id);
  if (wait) state.waits.set(id, { ...wait, owes: [...wait.owes, ask] });
}
