import type { Command } from '../event.ts';
import type { Message } from '../../format/message.ts';
import type { Pause } from '../../../kernel/commands.ts';
import type { MailState } from '../state.ts';
import { openCandidates } from './asks.ts';
import { setDeadline } from './deadlines.ts';
import { answerLanding } from './landings.ts';
import { answerQuestion, fileNotice } from './questions.ts';
import { place } from './places.ts';
import { putBack } from './reopening.ts';
import { abandon, changeTurn, failThread } from './turns.ts';
import { lineage } from './work.ts';
import type { MessageId, RoleName } from '../../../kernel/ids.ts';
import type { Reason } from '../../../kernel/errors.ts';
import type { Target, TurnId } from '../../../letters/target.ts';

/**
 * Puts off what counts time by a time in which no host ran: the answer to a request, a question, a
 * turn's end. `isOff`: only the answers of agents, since people could act meanwhile.
 */
export function putOff(state: MailState, ms: number, isOff: boolean): boolean {
  for (const [request, at] of state.deadlines)
    if (!isOff || asksAgent(state, request)) setDeadline(state, request, at + ms);
  const later = (at: number) => Math.min(state.now, at + ms);
  for (const { id, phase, claimedAt } of isOff ? [] : state.turns.values()) {
    changeTurn(state, id, { claimedAt: later(claimedAt) });
    if (phase.is === 'asking' && phase.until !== null)
      changeTurn(state, id, { phase: { ...phase, until: phase.until + ms } });
    if (phase.is === 'active' || phase.is === 'returned')
      changeTurn(state, id, { phase: { ...phase, since: later(phase.since) } });
  }
  return true;
}

/** Whether an agent can answer a request. */
function asksAgent(state: MailState, request: MessageId): boolean {
  const mail = state.mail.get(request);
  const roles = [...(mail?.request?.asks.keys() ?? [])].flatMap((recipient) =>
    openCandidates(state, { request, recipient }),
  );
  return roles.some((role) => {
    const box = mail?.deliveries.get(role)?.at;
    return box !== 'unread' && box !== 'read';
  });
}

/** Applies a command that was not refused. */
export function control(state: MailState, command: Command, by: string): void {
  switch (command.verb) {
    case 'pause':
      setPaused(state, command.target, { by, at: state.now });
      if (command.now) stop(state, command.target);
      return;
    case 'unpause':
      return setPaused(state, command.target, null);
    case 'cancel':
      return cancel(state, command.target, { code: 'E_CANCELLED', text: `cancelled by ${by}` });
    case 'approve':
    case 'reject':
      return judged(state, command, by);
    case 'retry':
      return retry(state, command.message, command.role);
    default:
      return command satisfies never;
  }
}

function setPaused({ paused }: MailState, target: Target, pause: Pause | null): void {
  if (target.kind === 'all') {
    paused.all = pause;
    if (pause === null) [paused.roles, paused.threads].forEach((each) => each.clear());
  }
  if (target.kind === 'role') put(paused.roles, target.role, pause);
  if (target.kind === 'thread') put(paused.threads, target.thread, pause);
}

function put(paused: Map<string, Pause>, name: string, pause: Pause | null): void {
  if (pause === null) paused.delete(name);
  else paused.set(name, pause);
}

/** Stops the target's processes; they will restart, and the attempts do not count. */
function stop(state: MailState, target: Target): void {
  for (const turn of state.turns.values()) {
    const meant =
      target.kind === 'all' ||
      (target.kind === 'role' && target.role === turn.role) ||
      (target.kind === 'thread' && lineage(state, turn.thread).some(({ id }) => id === target.thread));
    if (meant && turn.phase.is === 'active')
      changeTurn(state, turn.id, { reserved: false, phase: { is: 'pending', notBefore: 0 } });
  }
}

type Judged = Extract<Command, { verb: 'approve' | 'reject' }>;

function judged(state: MailState, { verb, target, comment }: Judged, by: string): void {
  if (target.kind !== 'turn') return;
  const turn = state.turns.get(target.turn);
  if (turn?.phase.is === 'asking')
    return void answerQuestion(state, turn, { allowed: verb === 'approve', by, comment });
  const branch = state.landings.get(target.turn)?.lands.branch ?? '';
  const why = comment === null ? '' : `: ${comment}`;
  answerLanding(
    state,
    target.turn,
    verb === 'approve' ? null : `${by} refused to let it land on \`${branch}\`${why}`,
  );
}

function cancel(state: MailState, target: Target, reason: Reason): void {
  if (target.kind === 'thread') failThread(state, target.thread, reason);
  const turn = target.kind === 'turn' ? state.turns.get(target.turn) : undefined;
  if (turn) abandon(state, turn, reason);
}

/** A person has resolved the conflict that a turn waits for. */
function restart(state: MailState, id: TurnId): void {
  const conflict = state.turns.get(id)?.conflict;
  if (!conflict) return;
  if (conflict.notice !== undefined) fileNotice(state, conflict.notice);
  changeTurn(state, id, { conflict: { ...conflict, waits: false } });
}

/**
 * Puts a dead letter back. A message that a person has read is unread again. A turn that waits for
 * a person starts.
 */
function retry(state: MailState, message: Message, role: RoleName): void {
  const known = state.mail.get(message.id);
  const delivery = known?.deliveries.get(role);
  if (delivery?.at === 'claimed') return restart(state, delivery.turn);
  if (known && delivery?.at === 'read') return place(state, known, role, { at: 'unread' });
  putBack(state, message.id, role);
}
