import type { TurnId } from '../../../letters/target.ts';
import type { Ask } from '../event.ts';
import type { AskState, Mail, MailState } from '../state.ts';
import { dropDeadline, setDeadline } from './deadlines.ts';
import { place, roleState, projectAnswer } from './places.ts';
import { closeWait } from './waits.ts';
import type { MessageId, RoleName } from '../../../kernel/ids.ts';
import type { Reason } from '../../../kernel/errors.ts';

export function askKey(ask: Ask): string {
  return `${ask.request} ${ask.recipient}`;
}

/** The state of an ask; null when it is unknown or forgotten. */
export function askState(state: MailState, ask: Ask): AskState | null {
  return state.mail.get(ask.request)?.request?.asks.get(ask.recipient) ?? null;
}

export function isOpen(state: MailState, ask: Ask): boolean {
  return askState(state, ask)?.is === 'open';
}

/** Asks of this request that this role can answer, as its recipient or after escalation. */
export function asksFor(mail: Mail, role: RoleName): Ask[] {
  const asks = mail.request?.asks ?? new Map<RoleName, AskState>();
  return [...asks]
    .filter(([recipient, ask]) => recipient === role || (ask.is !== 'over' && ask.escalated === role))
    .map(([recipient]) => ({ request: mail.message.id, recipient }));
}

export function openAsksFor(state: MailState, mail: Mail, role: RoleName): Ask[] {
  return asksFor(mail, role).filter((ask) => isOpen(state, ask));
}

/** The roles that can still answer. */
export function openCandidates(state: MailState, ask: Ask): readonly RoleName[] {
  return candidatesOf(askState(state, ask) ?? undefined);
}

function candidatesOf(ask: AskState | undefined): readonly RoleName[] {
  return ask?.is === 'open' ? ask.candidates : [];
}

/** Changes one ask; keeps asked roles, waits, deadlines and broken asks in step. */
export function setAsk(state: MailState, mail: Mail, recipient: RoleName, next: AskState): void {
  const { request, message } = mail;
  if (!request) return;
  const before = candidatesOf(request.asks.get(recipient));
  const after = candidatesOf(next);
  request.asks.set(recipient, next);
  if (request.wait !== null && state.waits.has(request.wait)) {
    for (const role of before) countWaitFor(state, message.from, role, -1);
    for (const role of after) countWaitFor(state, message.from, role, 1);
  }
  const all = [...request.asks.values()];
  for (const role of [...before, ...after]) {
    const { asked } = roleState(state, role);
    if (all.some((ask) => candidatesOf(ask).includes(role))) asked.add(message.id);
    else asked.delete(message.id);
  }
  if (next.is !== 'open' || after.length > 0) state.broken.delete(askKey({ request: message.id, recipient }));
  if (!all.some((ask) => ask.is === 'open' && ask.escalated === null)) dropDeadline(state, message.id);
}

/** The answer is no longer awaited. */
export function giveUpAsk(state: MailState, mail: Mail, recipient: RoleName): void {
  const was = mail.request?.asks.get(recipient);
  if (was && was.is !== 'over') setAsk(state, mail, recipient, { is: 'over', was });
}

function countWaitFor(state: MailState, role: RoleName, candidate: RoleName, by: 1 | -1): void {
  const { waitsFor } = roleState(state, role);
  const count = (waitsFor.get(candidate) ?? 0) + by;
  if (count > 0) waitsFor.set(candidate, count);
  else waitsFor.delete(candidate);
}

/**
 * Settles an ask with its answer, or the notice in place of one. `person`: a person gets it, who
 * has no turns.
 */
export function settleAsk(
  state: MailState,
  ask: Ask,
  by: MessageId,
  from: RoleName | null,
  person: boolean,
): void {
  const mail = state.mail.get(ask.request);
  if (!mail?.request) return;
  const current = mail.request.asks.get(ask.recipient);
  const escalated = current?.is === 'open' ? current.escalated : null;
  setAsk(state, mail, ask.recipient, { is: 'answered', by, from, escalated });
  fileSettled(state, mail);
  projectAnswer(state, mail);
  const wait = state.waits.get(mail.request.wait ?? '');
  if (!wait || wait.requests.some((id) => hasOpenAsk(state, id))) return;
  if (person) closeWait(state, wait.id);
  else roleState(state, wait.role).answered.add(wait.id);
}

function hasOpenAsk(state: MailState, request: MessageId): boolean {
  return [...(state.mail.get(request)?.request?.asks.values() ?? [])].some(({ is }) => is === 'open');
}

/**
 * Files a request that needs no answer any more: it would cost its reader a turn, or a person's
 * attention.
 */
function fileSettled(state: MailState, mail: Mail): void {
  for (const [role, { at }] of mail.deliveries)
    if ((at === 'inbox' || at === 'unread') && openAsksFor(state, mail, role).length === 0)
      place(state, mail, role, { at: 'processed' });
}

/** Another role can answer too, without a deadline: the deadline has had its effect. */
export function escalateAsk(state: MailState, ask: Ask, to: RoleName): void {
  const mail = state.mail.get(ask.request);
  const current = askState(state, ask);
  if (!mail || current?.is !== 'open') return;
  const candidates = [...new Set([...current.candidates, to])];
  setAsk(state, mail, ask.recipient, { is: 'open', candidates, escalated: to });
}

/**
 * This role will not answer. Without another candidate the ask is broken, and ends as its request
 * says.
 */
export function loseCandidate(state: MailState, ask: Ask, role: RoleName, reason: Reason): void {
  const mail = state.mail.get(ask.request);
  const current = askState(state, ask);
  if (!mail || current?.is !== 'open' || !current.candidates.includes(role)) return;
  const candidates = current.candidates.filter((candidate) => candidate !== role);
  setAsk(state, mail, ask.recipient, { ...current, candidates });
  if (candidates.length === 0) state.broken.set(askKey(ask), { ...ask, reason });
}

/** Updates the asks of a request when one recipient's copy of it has failed. */
export function breakAsks(state: MailState, mail: Mail, role: RoleName, reason: Reason): void {
  for (const ask of asksFor(mail, role)) loseCandidate(state, ask, role, reason);
}

/** Files one copy under `failed`. If it was a request, this recipient will not answer it. */
export function failCopy(state: MailState, mail: Mail, role: RoleName, reason: Reason, turn?: TurnId): void {
  const since = state.now;
  place(state, mail, role, { at: 'failed', reason, since, ...(turn !== undefined && { turn }) });
  breakAsks(state, mail, role, reason);
}

/** The request is back in a role's inbox: that role can answer again, with the full time limit. */
export function askAgain(state: MailState, mail: Mail, role: RoleName): void {
  const { request, message } = mail;
  if (!request) return;
  const own = request.asks.has(role);
  for (const [recipient, ask] of request.asks) {
    const was = ask.is === 'over' ? ask.was : ask;
    if (was?.is === 'answered' || (own && recipient !== role)) continue;
    const candidates = ask.is === 'open' ? ask.candidates : [];
    // A request that was escalated to the role before is escalated to it again.
    const escalated = was?.escalated ?? (own ? null : role);
    if (own || escalated === role)
      setAsk(state, mail, recipient, {
        is: 'open',
        candidates: [...new Set([...candidates, role])],
        escalated,
      });
  }
  const timed = [...request.asks.values()].some((ask) => ask.is === 'open' && ask.escalated === null);
  if (timed && request.deadline !== null)
    setDeadline(state, message.id, state.now + Math.max(0, request.deadline - message.created));
}
