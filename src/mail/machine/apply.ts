import { noteVerdict } from '../../kernel/commands.ts';
import { park } from '../../kernel/usage-limits.ts';
import type { Happening, MailEvent } from './event.ts';
import type { Message } from '../format/message.ts';
import type { MailState } from './state.ts';
import type { Reason } from '../../kernel/errors.ts';
import { ask } from './fold/ends.ts';
import { control, putOff } from './fold/control.ts';
import { countDropped } from './fold/new-tasks.ts';
import { breakAsks } from './fold/asks.ts';
import { copyKey, recheckQueues, place, roleState, toProject } from './fold/places.ts';
import { deliverNotice, sendTogether } from './fold/sending.ts';
import { openThread, quietThread, retire } from './fold/threads.ts';
import { claim, closeThread, failThread } from './fold/turns.ts';
import { charge, invocation } from './fold/invocations.ts';
import { landing } from './fold/landings.ts';
import { turn } from './fold/attempts.ts';

type Of<T extends Happening<Message>['type']> = Extract<Happening<Message>, { type: T }>;

/**
 * Folds one event into the state. Total: an event that no longer fits (its turn has moved on, its
 * thread has ended) changes only the clock. Consumes the given state: changes it in place and
 * returns it.
 */
export function apply(state: MailState, event: MailEvent): MailState {
  const before = state.now;
  state.now = Math.max(state.now, event.at);
  state.events += 1;
  for (const used of event.used ?? []) charge(state, used);
  const fitted = fold(state, event, before);
  if (fitted && 'notices' in event) for (const notice of event.notices) deliverNotice(state, notice);
  if (fitted && event.inbox !== undefined) countDropped(state, event.inbox);
  return state;
}

/** Changes the state; false when the event does not fit. */
function fold(state: MailState, event: MailEvent, before: number): boolean {
  switch (event.type) {
    case 'started':
      return started(state, event, before);
    case 'accepted':
      return accepted(state, event);
    case 'refused':
      return refused(state, event);
    case 'claimed':
      return claim(state, event);
    case 'launched':
    case 'assigned':
    case 'returned':
    case 'asked':
    case 'checked':
    case 'attempt-failed':
    case 'stopped':
      return invocation(state, event);
    case 'landing-queued':
    case 'landing-asked':
    case 'landing-checked':
    case 'landing-blocked':
    case 'landing-missed':
    case 'landing-refused':
    case 'landed':
      return landing(state, event);
    case 'escalated':
    case 'proceeded':
    case 'failed-back':
      return ask(state, event);
    case 'thread-failed':
      return failThread(state, event.thread, event.reason);
    case 'quieted':
      return quietThread(state, event.thread);
    case 'withdrawn':
    case 'read':
      return removed(state, event);
    case 'projected':
      return projected(state, event.through);
    case 'vanished':
    case 'restored':
      return vanish(state, event.role, event.type === 'vanished');
    case 'parked':
      park(state, event);
      return true;
    case 'suspended':
      return putOff(state, event.ms, false);
    case 'controlled':
      return controlled(state, event);
    default:
      return turn(state, event);
  }
}

/** `before`: the time of the last event. */
function started(state: MailState, event: Of<'started'>, before: number): boolean {
  if (before > 0) putOff(state, Math.min(event.off ?? Infinity, state.now - before), true);
  if (state.protocol === event.protocol) return true;
  state.protocol = event.protocol;
  recheckQueues(state);
  return true;
}

function accepted(state: MailState, { sent }: Of<'accepted'>): boolean {
  const { id, from: role, to, subject, type } = sent.message;
  const thread = sent.opens?.parent ?? sent.message.thread;
  if (state.mail.has(id)) return false;
  const aside =
    type === 'notice' && (state.threads.has(thread) || to.every((name) => sent.people.includes(name)));
  if (!aside && !sent.late) openThread(state, thread, subject);
  sendTogether(state, [sent], { role, thread, owes: [] }, null);
  if (sent.closes) closeThread(state, thread);
  return true;
}

function controlled(state: MailState, { id, command, by, refusal }: Of<'controlled'>): boolean {
  noteVerdict(state.commands, id);
  if (refusal === null) control(state, command, by);
  return refusal === null;
}

function refused(state: MailState, { id, role, text, reason }: Of<'refused'>): boolean {
  const since = state.events;
  toProject(state, id, { kind: 'refused', id, created: state.now, role, text, reason, since });
  return true;
}

function projected(state: MailState, through: number): boolean {
  for (const [key, projection] of state.pendingProjections) {
    if (projection.since > through) break;
    state.pendingProjections.delete(key);
  }
  return true;
}

function vanish(state: MailState, name: string, vanished: boolean): boolean {
  const role = roleState(state, name);
  if (role.vanished === vanished) return false;
  state.roles.set(name, { ...role, vanished });
  return true;
}

const withdrawn: Reason = { code: 'E_CANCELLED', text: 'its file was removed by hand' };

/** A file is gone from an inbox: its person has read it, or it was withdrawn from an agent. */
function removed(state: MailState, event: Of<'withdrawn' | 'read'>): boolean {
  const mail = state.mail.get(event.message);
  const at = mail?.deliveries.get(event.recipient)?.at;
  if (event.type === 'read') {
    const unread = state.unread.delete(copyKey(event.message, event.recipient));
    if (at === 'unread') mail?.deliveries.set(event.recipient, { at: 'read' });
    return unread;
  }
  if (!mail || at !== 'inbox') return false;
  place(state, mail, event.recipient, { at: 'withdrawn' });
  breakAsks(state, mail, event.recipient, withdrawn);
  retire(state, mail.message.thread);
  return true;
}
