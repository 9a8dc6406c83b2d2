import type { Ask, Reason } from '../event.ts';
import type { MessageId, RoleName } from '../message.ts';
import type { AskState, Mail, MailState } from '../state.ts';

export function askKey(ask: Ask): string {
  return `${ask.request} ${ask.recipient}`;
}

/** How far an ask is; null when its thread has ended or never knew it. */
export function askState(state: MailState, ask: Ask): AskState | null {
  return state.mail.get(ask.request)?.request?.asks.get(ask.recipient) ?? null;
}

export function isOpen(state: MailState, ask: Ask): boolean {
  return askState(state, ask)?.is === 'open';
}

/** Asks of this request that this role may answer, as its recipient or because it was escalated to it. */
export function asksFor(mail: Mail, role: RoleName): Ask[] {
  const asks = mail.request?.asks ?? new Map<RoleName, AskState>();
  return [...asks]
    .filter(([recipient, ask]) => recipient === role || (ask.is === 'open' && ask.escalated === role))
    .map(([recipient]) => ({ request: mail.message.id, recipient }));
}

function setAsk(state: MailState, ask: Ask, next: AskState): void {
  const request = state.mail.get(ask.request)?.request;
  if (!request) return;
  request.asks.set(ask.recipient, next);
  const open = [...request.asks.values()].some(({ is }) => is === 'open');
  if (!open) state.deadlines.delete(ask.request);
}

/** An ask has its answer, or the notice that stands in for one. */
export function settleAsk(state: MailState, ask: Ask, by: MessageId, from: RoleName | null): void {
  state.broken.delete(askKey(ask));
  setAsk(state, ask, { is: 'answered', by, from });
}

/** Another role may answer too; the deadline has done its work. */
export function escalateAsk(state: MailState, ask: Ask, to: RoleName): void {
  const current = askState(state, ask);
  if (current?.is !== 'open') return;
  state.broken.delete(askKey(ask));
  setAsk(state, ask, { is: 'open', candidates: [...current.candidates, to], escalated: to });
}

/** This role will not answer any more. With nobody left the ask is broken, and ends as its request says. */
export function loseCandidate(state: MailState, ask: Ask, role: RoleName, reason: Reason): void {
  const current = askState(state, ask);
  if (current?.is !== 'open') return;
  const candidates = current.candidates.filter((candidate) => candidate !== role);
  setAsk(state, ask, { ...current, candidates });
  if (candidates.length === 0) state.broken.set(askKey(ask), { ...ask, reason });
}

/** What happens to the asks of a request when one recipient's copy of it has come to nothing. */
export function breakAsks(state: MailState, mail: Mail, role: RoleName, reason: Reason): void {
  for (const ask of asksFor(mail, role)) loseCandidate(state, ask, role, reason);
}
