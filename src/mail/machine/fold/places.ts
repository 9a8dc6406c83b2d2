import type { Message } from '../../format/message.ts';
import { noCost } from '../../../kernel/money.ts';
import type { Delivery, Mail, MailState, Projection, RoleState } from '../state.ts';
import { answerOf, isStep } from '../step.ts';
import { countWaiting, dropFrom, setOf } from './work.ts';
import type { MessageId, RoleName, ThreadId } from '../../../kernel/ids.ts';

export function copyKey(message: MessageId, role: RoleName): string {
  return `${message} ${role}`;
}

/** The state of a role, created on first use. */
export function roleState(state: MailState, name: RoleName): RoleState {
  const known = state.roles.get(name);
  if (known) return known;
  const fresh: RoleState = {
    requests: new Set(),
    queue: new Set(),
    inThread: new Map(),
    fromRole: new Map(),
    asked: new Set(),
    waitsFor: new Map(),
    blockedBy: new Map(),
    joining: new Map(),
    crossed: new Set(),
    answered: new Set(),
    turns: 0,
    cost: noCost,
    vanished: false,
  };
  state.roles.set(name, fresh);
  return fresh;
}

/** True when the recipient picks this copy up with its wait, not alone. */
function belongsToWait(state: MailState, mail: Mail, role: RoleName): boolean {
  return mail.wait !== null && state.waits.get(mail.wait)?.role === role;
}

/** Moves a projection to the end, so that `pendingProjections` stays in the order of the events. */
export function toProject(state: MailState, key: string, projection: Projection): void {
  state.pendingProjections.delete(key);
  state.pendingProjections.set(key, projection);
}

/** Moves one recipient's copy; keeps the queues, the unread mail and the projections in step. */
export function place(state: MailState, mail: Mail, role: RoleName, delivery: Delivery): void {
  const { message } = mail;
  const key = copyKey(message.id, role);
  const before = mail.deliveries.get(role)?.at;
  mail.deliveries.set(role, delivery);
  if (delivery.at === 'unread') state.unread.set(key, { message, role });
  else state.unread.delete(key);
  leaveQueue(state, mail, role);
  if (delivery.at === 'inbox' && !belongsToWait(state, mail, role)) joinQueue(state, mail, role);
  if (delivery.at === 'claimed' || (delivery.at === 'inbox' && before === 'claimed')) return;
  const pending = state.pendingProjections.get(key);
  // Retried mail can be handled before it appears as waiting again.
  const leavesFailed = before === 'failed' || (pending?.kind === 'copy' && pending.leavesFailed);
  toProject(state, key, { kind: 'copy', message, role, delivery, leavesFailed, since: state.events });
}

function joinQueue(state: MailState, mail: Mail, role: RoleName): void {
  const { id, thread, from } = mail.message;
  const { queue, requests, inThread, fromRole, joining } = roleState(state, role);
  const joins = mail.joins.includes(role);
  if (mail.request) {
    requests.add(id);
    setOf(fromRole, from).add(id);
    if (joins) setOf(joining, thread).add(id);
  } else queue.add(id);
  setOf(inThread, thread).add(id);
  if (!joins) countWaiting(state, thread, 1);
  keepCrossed(state, role, thread);
}

function leaveQueue(state: MailState, mail: Mail, role: RoleName): void {
  const { id, thread, from } = mail.message;
  const { queue, requests, inThread, fromRole, joining } = roleState(state, role);
  const waited = requests.delete(id) || queue.delete(id);
  if (!waited) return;
  dropFrom(fromRole, from, id);
  dropFrom(inThread, thread, id);
  dropFrom(joining, thread, id);
  if (!mail.joins.includes(role)) countWaiting(state, thread, -1);
  keepCrossed(state, role, thread);
}

/** After a change of protocol, waiting mail may need other mail to be picked up, or never be. */
export function recheckQueues(state: MailState): void {
  for (const [name, { requests, queue }] of state.roles)
    for (const id of [...requests, ...queue]) {
      const mail = state.mail.get(id);
      if (!mail) continue;
      // All of them are removed and added again, which keeps their order.
      leaveQueue(state, mail, name);
      const rechecked = { ...mail, joins: [...new Set([...mail.joins, name])] };
      state.mail.set(id, rechecked);
      joinQueue(state, rechecked, name);
    }
}

/**
 * Keeps in step whether a role's mail of a thread can be part of a cycle of waits in that thread.
 */
export function keepCrossed(state: MailState, role: RoleName, thread: ThreadId): void {
  const { blockedBy, inThread, joining, crossed } = roleState(state, role);
  if (joining.has(thread) || (blockedBy.has(thread) && inThread.has(thread))) crossed.add(thread);
  else crossed.delete(thread);
}

/** Projects a message to its author's `sent`. */
export function projectSent(state: MailState, message: Message): void {
  const key = `${copyKey(message.id, message.from)} sent`;
  toProject(state, key, { kind: 'sent', message, role: message.from, since: state.events });
}

/** Projects a step's result to its run. */
export function projectAnswer(state: MailState, step: Mail): void {
  const answer = isStep(step.message) ? answerOf(state, step) : null;
  if (!answer) return;
  const { from: role, id } = step.message;
  toProject(state, `${id} answer`, { kind: 'answer', role, answer, since: state.events });
}
