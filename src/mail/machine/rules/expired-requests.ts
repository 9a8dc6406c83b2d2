import { oneLine } from '../../../kernel/one-line.ts';
import { askKey, askState } from '../fold/asks.ts';
import { dueRequests } from '../fold/deadlines.ts';
import { canTakeOver } from '../fold/escalation.ts';
import { canContinue } from '../fold/threads.ts';
import { lineage } from '../fold/work.ts';
import type { Ask, Fact } from '../event.ts';
import { builtInNamed, isHuman, type Protocol, type TimeoutPolicy } from '../../format/protocol.ts';
import type { AskState, Mail, MailState } from '../state.ts';
import { failThreadFact } from './notices.ts';
import { shortId, type RoleName, type ThreadId } from '../../../kernel/ids.ts';
import type { Reason } from '../../../kernel/errors.ts';

/** The asks that end now without a reply: they have timed out, or have no candidate left. */
export function expiredRequests(state: MailState, protocol: Protocol, now: number): Fact[] {
  const facts: Fact[] = [];
  for (const { reason, ...ask } of state.broken.values()) facts.push(...end(state, protocol, ask, reason));
  for (const request of dueRequests(state, now)) {
    const mail = state.mail.get(request);
    const what = `${mail?.message.subject ?? ''} (${shortId(request)})`;
    for (const [recipient, ask] of mail?.request?.asks ?? [])
      if (ask.is === 'open' && ask.escalated === null && !state.broken.has(askKey({ request, recipient })))
        facts.push(
          ...end(
            state,
            protocol,
            { request, recipient },
            {
              code: 'E_TIMEOUT',
              text: `${recipient} has not answered in time: ${what}`,
            },
          ),
        );
  }
  return onePerThread(state, facts);
}

function end(state: MailState, protocol: Protocol, ask: Ask, reason: Reason): Fact[] {
  const mail = state.mail.get(ask.request);
  const current = askState(state, ask);
  if (!mail?.request || current?.is !== 'open') return [];
  const { escalateTo, onTimeout } = mail.request;
  const { from, subject, thread, type } = mail.message;
  // A sub-thread has ended without an answer for its parent.
  const isOver = !canContinue(state, thread);
  if (!isOver && onTimeout === 'escalate' && canEscalate(state, protocol, mail, ask.recipient))
    return [{ type: 'escalated', ask, to: escalateTo, person: isHuman(protocol, escalateTo) }];
  if (!isOver && onTimeout !== 'proceed') return [failThreadFact(state, thread, reason)];
  const notice = {
    to: from,
    thread,
    inReplyTo: ask.request,
    subject: `No answer from ${ask.recipient}: ${subject}`,
    body: `${oneLine(reason.text)}. ${builtInNamed(protocol, type) ? 'Decide yourself, and say what you assumed.' : 'Continue without it.'}`,
  };
  return [{ type: 'proceeded', ask, notice, person: isHuman(protocol, from) }];
}

/** Whether an open ask can be escalated: to another role, which can still bring an answer. */
function canEscalate(state: MailState, protocol: Protocol, mail: Mail, recipient: RoleName): boolean {
  const to = mail.request?.escalateTo ?? recipient;
  const ask = mail.request?.asks.get(recipient);
  if (ask?.is !== 'open' || ask.escalated !== null) return false;
  return (
    to !== recipient && to !== mail.message.from && protocol.roles.has(to) && canTakeOver(state, mail, to)
  );
}

/** What its next timeout does to a request: its rule, or `fail` where no other role can help. */
export function nextTimeout(state: MailState, protocol: Protocol, mail: Mail): TimeoutPolicy {
  const { onTimeout = 'fail', asks = new Map<RoleName, AskState>() } = mail.request ?? {};
  const open = [...asks].filter(([, { is }]) => is === 'open').map(([recipient]) => recipient);
  const isSolved = open.every((recipient) => canEscalate(state, protocol, mail, recipient));
  return onTimeout === 'escalate' && !isSolved ? 'fail' : onTimeout;
}

/** A thread fails at most once, and then no other fact about it and its sub-threads counts. */
function onePerThread(state: MailState, facts: readonly Fact[]): Fact[] {
  const failing = new Map<ThreadId, Fact>();
  for (const fact of facts)
    if (fact.type === 'thread-failed' && !failing.has(fact.thread)) failing.set(fact.thread, fact);
  const isFailing = (thread: ThreadId) => lineage(state, thread).some(({ id }) => failing.has(id));
  const first = [...failing].filter(([id]) => !isFailing(state.threads.get(id)?.parent ?? ''));
  const rest = facts.filter(
    (fact) => 'ask' in fact && !isFailing(state.mail.get(fact.ask.request)?.message.thread ?? ''),
  );
  return [...first.map(([, fact]) => fact), ...rest];
}
