import type { Happening, MailEvent, Reason } from './event.ts';
import type { Message } from './message.ts';
import type { MailState } from './state.ts';
import { control } from './fold/control.ts';
import { askState, breakAsks, escalateAsk, loseCandidate } from './fold/asks.ts';
import { copyKey, failCopy, place, roleState, stir, toDraw } from './fold/places.ts';
import { deliverNotice, standIn } from './fold/sending.ts';
import { changeThread, openThread, retire } from './fold/threads.ts';
import {
  abandon,
  changeTurn,
  claim,
  commit,
  current,
  failThread,
  sendTogether,
  settle,
} from './fold/turns.ts';

type Of<T extends Happening<Message>['type']> = Extract<Happening<Message>, { type: T }>;

/**
 * Folds one event into the state. Total: an event that no longer fits (its turn has moved on, its thread has ended)
 * changes nothing but the clock. The state that is passed in is consumed: it is changed in place and returned.
 */
export function apply(state: MailState, event: MailEvent): MailState {
  state.now = Math.max(state.now, event.at);
  state.events += 1;
  if ('notices' in event) for (const notice of event.notices) deliverNotice(state, notice);
  fold(state, event);
  return state;
}

function fold(state: MailState, event: MailEvent): void {
  switch (event.type) {
    case 'started':
      return started(state, event);
    case 'accepted':
      return accepted(state, event);
    case 'refused':
      return refused(state, event);
    case 'claimed':
      return claim(state, unstamped(event));
    case 'launched':
    case 'returned':
    case 'gated':
    case 'attempt-failed':
    case 'stopped':
      return invocation(state, event);
    case 'corrected':
    case 'requeued':
    case 'resumed':
    case 'committed':
    case 'abandoned':
      return turn(state, event);
    case 'escalated':
    case 'proceeded':
    case 'failed-back':
      return ask(state, event);
    case 'thread-failed':
      return failThread(state, event.thread, event.reason);
    case 'quieted':
      changeThread(state, event.thread, { state: 'quiet' });
      return retire(state, event.thread);
    case 'withdrawn':
    case 'read':
      return taken(state, event);
    case 'drawn':
      return drawn(state, event.through);
    case 'vanished':
    case 'restored':
      state.roles.set(event.role, { ...roleState(state, event.role), vanished: event.type === 'vanished' });
      return;
    case 'parked':
      state.parked.set(event.provider, event.until);
      return;
    case 'controlled':
      return event.refusal === null ? control(state, event.command, event.by) : undefined;
    default:
      return event satisfies never;
  }
}

function unstamped<T extends MailEvent>({ v: _v, at: _at, ...rest }: T): Omit<T, 'v' | 'at'> {
  return rest;
}

function started(state: MailState, event: Of<'started'>): void {
  if (state.protocol === event.protocol) return;
  state.protocol = event.protocol;
  for (const id of state.threads.keys()) stir(state, id);
}

function accepted(state: MailState, { sent }: Of<'accepted'>): void {
  const { message } = sent;
  if (message.type === 'notice') return deliver(state, sent);
  if (!sent.late) openThread(state, message.thread, message.subject);
  deliver(state, sent);
}

function deliver(state: MailState, sent: Of<'accepted'>['sent']): void {
  const { from: role, thread } = sent.message;
  sendTogether(state, [sent], { role, thread, owes: [] }, null);
  const joinsOnly = sent.message.to.every((name) => sent.joins.includes(name) || sent.people.includes(name));
  if (joinsOnly) stir(state, thread);
}

function refused(state: MailState, { id, role, text, reason }: Of<'refused'>): void {
  const since = state.events;
  toDraw(state, id, { kind: 'refused', id, created: state.now, role, text, reason, since });
}

type InvocationEvent = Of<'launched' | 'returned' | 'gated' | 'attempt-failed' | 'stopped'>;

function invocation(state: MailState, event: InvocationEvent): void {
  if (event.type === 'gated') {
    const judged = current(state, event, 'returned');
    if (judged) changeTurn(state, judged.id, { phase: { ...judged.phase, gates: event.problems } });
    return;
  }
  const running = current(state, event, 'active');
  if (!running) return;
  switch (event.type) {
    case 'launched': {
      const { process, tree } = event;
      changeTurn(state, running.id, { phase: { ...running.phase, launched: process } });
      const thread = state.threads.get(running.thread);
      if (thread && thread.tree === null) changeThread(state, thread.id, { tree });
      return;
    }
    case 'returned': {
      settle(state, running, event.result.usage);
      const phase = {
        is: 'returned',
        since: running.phase.since,
        result: event.result,
        gates: null,
      } as const;
      return changeTurn(state, running.id, { phase });
    }
    case 'attempt-failed': {
      settle(state, running, event.usage);
      const { class: kind, reason, until } = event;
      return changeTurn(state, running.id, { phase: { is: 'failed', class: kind, reason, until } });
    }
    case 'stopped':
      return changeTurn(state, running.id, { reserved: false, phase: { is: 'pending', notBefore: 0 } });
    default:
      return event satisfies never;
  }
}

type TurnEvent = Of<'corrected' | 'requeued' | 'resumed' | 'committed' | 'abandoned'>;

function turn(state: MailState, event: TurnEvent): void {
  const known = state.turns.get(event.turn);
  if (!known) return;
  const { phase } = known;
  switch (event.type) {
    case 'corrected':
      if (phase.is !== 'returned') return;
      return changeTurn(state, known.id, {
        round: known.round + 1,
        problems: event.problems,
        lastResult: phase.result,
        reserved: true,
        phase: { is: 'active', since: phase.since, launched: null },
      });
    case 'requeued':
      if (phase.is !== 'failed') return;
      return changeTurn(state, known.id, {
        failures: known.failures + (event.counted ? 1 : 0),
        lastFailure: phase.reason,
        phase: { is: 'pending', notBefore: event.notBefore },
      });
    case 'resumed':
      if (phase.is !== 'pending') return;
      return changeTurn(state, known.id, {
        attempt: known.attempt + 1,
        round: 0,
        problems: [],
        reserved: true,
        phase: { is: 'active', since: state.now, launched: null },
      });
    case 'committed':
      return commit(state, event);
    case 'abandoned':
      return abandon(state, known, event.reason);
    default:
      return event satisfies never;
  }
}

function ask(state: MailState, event: Of<'escalated' | 'proceeded' | 'failed-back'>): void {
  const mail = state.mail.get(event.ask.request);
  const open = askState(state, event.ask);
  if (!mail || open?.is !== 'open') return;
  switch (event.type) {
    case 'escalated':
      state.deadlines.delete(event.ask.request);
      escalateAsk(state, event.ask, event.to);
      return place(state, mail, event.to, event.person ? { at: 'unread' } : { at: 'inbox' });
    case 'proceeded':
      return standIn(state, event.ask, event.standIn, event.person);
    case 'failed-back':
      for (const candidate of open.candidates) {
        if (mail.deliveries.get(candidate)?.at === 'inbox') failCopy(state, mail, candidate, event.reason);
        loseCandidate(state, event.ask, candidate, event.reason);
      }
      return;
    default:
      return event satisfies never;
  }
}

const withdrawn: Reason = { code: 'E_CANCELLED', text: 'its file was removed by hand' };

function taken(state: MailState, event: Of<'withdrawn' | 'read'>): void {
  const mail = state.mail.get(event.message);
  const key = copyKey(event.message, event.recipient);
  if (event.type === 'read') {
    state.unread.delete(key);
    mail?.deliveries.set(event.recipient, { at: 'read' });
    return;
  }
  if (mail?.deliveries.get(event.recipient)?.at !== 'inbox') return;
  place(state, mail, event.recipient, { at: 'withdrawn' });
  breakAsks(state, mail, event.recipient, withdrawn);
  stir(state, mail.message.thread);
}

function drawn(state: MailState, through: number): void {
  for (const [key, picture] of state.undrawn) {
    if (picture.since > through) return;
    state.undrawn.delete(key);
  }
}
