import type { Command, MailEvent } from '../machine/event.ts';
import type { Message } from '../format/message.ts';
import type { Turn } from '../machine/state.ts';
import { oneLine } from '../../kernel/one-line.ts';
import type { MessageId } from '../../kernel/ids.ts';

/** Maximum length of a whole subject, and of its parts that come from outside, in characters. */
const longest = 200;
const longestPart = 100;
/** How many recipients are named; the others are counted. */
const namedRecipients = 3;

/** Finds a known message; undefined when its thread has been forgotten. */
export type FindMessage = (id: MessageId) => Message | undefined;

/** What happened, on one line. Null for an event that moved no mail. */
export function subjectOf(event: MailEvent, turn: Turn | null, mail: FindMessage): string | null {
  const subject = describe(event, turn, mail);
  return subject === null ? null : oneLine(subject, longest);
}

function describe(event: MailEvent, turn: Turn | null, mail: FindMessage): string | null {
  switch (event.type) {
    case 'accepted':
      return delivery([event.sent.message]);
    case 'refused':
      return `refused in ${event.role}/${event.box}: ${event.reason.text}`;
    case 'committed':
      if (event.sent.length > 0) return delivery(event.sent.map(({ message }) => message));
      return `${turn?.role ?? 'a role'}: turn ${event.turn}, nothing sent`;
    case 'abandoned':
      return `${turn?.role ?? 'a role'}: turn ${event.turn} abandoned: ${event.reason.text}`;
    case 'escalated':
      return `escalated to ${event.to}: ${content(mail(event.ask.request))}`;
    case 'proceeded':
      return delivery([event.notice]);
    case 'failed-back':
      return `no answer from ${event.ask.recipient}: ${content(mail(event.ask.request))}`;
    case 'thread-failed':
      return `thread failed: ${part(event.reason.text)} — ${part(mail(event.thread)?.subject ?? event.thread)}`;
    case 'quieted':
    case 'vanished':
    case 'asked':
    case 'conflicted':
      return event.notices.length > 0 ? delivery(event.notices) : null;
    case 'withdrawn':
      return `withdrawn from ${event.recipient}: ${content(mail(event.message))}`;
    case 'read':
      return `read by ${event.recipient}: ${content(mail(event.message))}`;
    case 'controlled':
      return event.refusal === null ? command(event.command, event.by, mail) : null;
    case 'started':
    case 'claimed':
    case 'launched':
    case 'assigned':
    case 'returned':
    case 'checked':
    case 'landing-queued':
    case 'landing-asked':
    case 'landing-checked':
    case 'landing-blocked':
    case 'landing-missed':
    case 'landing-refused':
    case 'landed':
    case 'unanswered':
    case 'continued':
    case 'corrected':
    case 'attempt-failed':
    case 'stopped':
    case 'requeued':
    case 'resumed':
    case 'projected':
    case 'restored':
    case 'parked':
    case 'suspended':
      return null;
    default:
      return event satisfies never;
  }
}

function command(given: Command, by: string, mail: FindMessage): string | null {
  if (given.verb === 'retry') return `put back for ${given.role} by ${part(by)}: ${content(given.message)}`;
  if (given.verb === 'approve' || given.verb === 'reject') {
    const turn = given.target.kind === 'turn' ? given.target.turn : '';
    return `turn ${turn} ${given.verb === 'approve' ? 'approved' : 'rejected'} by ${part(by)}`;
  }
  if (given.verb !== 'cancel') return null;
  const { target } = given;
  const what =
    target.kind === 'thread'
      ? (mail(target.thread)?.subject ?? target.thread)
      : target.kind === 'turn'
        ? target.turn
        : '';
  return `${target.kind} cancelled by ${part(by)}: ${part(what)}`;
}

/** `engineer → qa: review-request — Review of the parser (+2)`. */
function delivery(messages: readonly Message[]): string {
  const [first, ...more] = messages;
  if (first === undefined) return '';
  const named = first.to.slice(0, namedRecipients).join(', ');
  const others = first.to.length > namedRecipients ? ` +${String(first.to.length - namedRecipients)}` : '';
  const rest = more.length > 0 ? ` (+${String(more.length)})` : '';
  // Cut before the count is added, so that a long subject does not cut off the count.
  return oneLine(`${first.from} → ${named}${others}: ${content(first)}`, longest - rest.length) + rest;
}

/** `review-request — Review of the parser`. */
function content(message: Message | undefined): string {
  if (message === undefined) return 'a message of an ended thread';
  return message.subject.trim() === '' ? message.type : `${message.type} — ${part(message.subject)}`;
}

function part(text: string): string {
  return oneLine(text, longestPart);
}
