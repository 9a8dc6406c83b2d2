import type { Reason } from '../event.ts';
import type { Message, MessageId, RoleName, ThreadId } from '../message.ts';
import { nothing, type Delivery, type Mail, type MailState, type Picture, type RoleState } from '../state.ts';
import { breakAsks } from './asks.ts';

export function copyKey(message: MessageId, role: RoleName): string {
  return `${message} ${role}`;
}

/** The state of a role, made when it is first heard of. */
export function roleState(state: MailState, name: RoleName): RoleState {
  const known = state.roles.get(name);
  if (known) return known;
  const fresh: RoleState = {
    requests: new Set(),
    queue: new Set(),
    turns: 0,
    cost: nothing,
    vanished: false,
  };
  state.roles.set(name, fresh);
  return fresh;
}

/** True when this copy is taken up with a wait of its recipient, not by itself. */
function belongsToWait(state: MailState, mail: Mail, role: RoleName): boolean {
  return mail.wait !== null && state.waits.get(mail.wait)?.role === role;
}

/** Remembers a picture as the newest, so that `undrawn` stays in the order of the events. */
export function toDraw(state: MailState, key: string, picture: Picture): void {
  state.undrawn.delete(key);
  state.undrawn.set(key, picture);
}

/** Puts one recipient's copy somewhere; keeps the queues, the unread mail and the pictures in step. */
export function place(state: MailState, mail: Mail, role: RoleName, delivery: Delivery): void {
  const { message } = mail;
  const key = copyKey(message.id, role);
  const before = mail.deliveries.get(role)?.at;
  mail.deliveries.set(role, delivery);
  if (delivery.at === 'unread') state.unread.set(key, { message, role });
  else state.unread.delete(key);
  const { queue, requests } = roleState(state, role);
  requests.delete(message.id);
  queue.delete(message.id);
  if (delivery.at === 'inbox' && !belongsToWait(state, mail, role))
    (mail.request ? requests : queue).add(message.id);
  const moved = !(delivery.at === 'claimed' || (delivery.at === 'inbox' && before === 'claimed'));
  if (moved) toDraw(state, key, { kind: 'copy', message, role, delivery, since: state.events });
}

/** Files one copy under `failed`. If it was a request, this recipient will not answer it. */
export function failCopy(state: MailState, mail: Mail, role: RoleName, reason: Reason): void {
  place(state, mail, role, { at: 'failed', reason });
  breakAsks(state, mail, role, reason);
}

/** Shows a message among what its author sent. */
export function drawSent(state: MailState, message: Message): void {
  const key = `${copyKey(message.id, message.from)} sent`;
  toDraw(state, key, { kind: 'sent', message, role: message.from, since: state.events });
}

/** Remembers that something in a thread ended, so that it may have gone quiet. */
export function stir(state: MailState, thread: ThreadId): void {
  if (state.threads.get(thread)?.state === 'open') state.stirred.add(thread);
}
