import { fitsThread } from '../rules/thread-budgets.ts';
import { fits, noCost } from '../../../kernel/money.ts';
import { because, failureCode } from '../../../kernel/why.ts';
import type { RoleName, ThreadId } from '../../../kernel/ids.ts';
import type { Protocol } from '../../format/protocol.ts';
import type { TurnId } from '../../../letters/target.ts';
import { mailroom } from '../../format/message.ts';
import type { AskState, Mail, MailState, Thread } from '../state.ts';
import { named, type MailWhy } from './words.ts';

/**
 * Why a role did not handle a message; null: its copy did not fail. `what`: the message, in words.
 */
export function failedCopy({ message, deliveries }: Mail, role: RoleName, what: string): MailWhy | null {
  const delivery = deliveries.get(role);
  if (delivery?.at !== 'failed') return null;
  const { reason, turn, since } = delivery;
  return because(failureCode(reason), `${role} did not handle ${what}: ${reason.code}: ${reason.text}`, {
    cause: { record: turn ?? message.id, at: since ?? message.created },
    act: { do: 'retry', message: message.id, role },
  });
}

/** The newest message to a role, if the role did not handle it. */
export function failedLast({ mail }: MailState, role: RoleName): MailWhy | null {
  const newest = [...mail.values()].findLast(({ deliveries }) => deliveries.has(role));
  return newest ? failedCopy(newest, role, named(newest.message)) : null;
}

/**
 * The request of a thread without whose answer it failed, else its newest message, apart from
 * notices, if a role did not handle it.
 */
export function failedIn({ mail }: MailState, { messages }: Thread): MailWhy | null {
  const sent = messages
    .flatMap((id) => mail.get(id) ?? [])
    .filter(({ message }) => message.from !== mailroom);
  const ended = sent.findLast(({ request }) => [...(request?.asks.values() ?? [])].some(isUnanswerable));
  const whys = [ended, sent.at(-1)].flatMap((one) => (one ? failedCopies(one) : []));
  return whys[0] ?? null;
}

/** An ask that ended with its thread, because no role could answer it any more. */
function isUnanswerable(ask: AskState): boolean {
  return ask.is === 'over' && ask.was?.is === 'open' && ask.was.candidates.length === 0;
}

function failedCopies(mail: Mail): MailWhy[] {
  return [...mail.deliveries.keys()].flatMap((role) => failedCopy(mail, role, named(mail.message)) ?? []);
}

/** Why a turn that has ended failed; null: it did not, or its mail was put back since. */
export function failedTurn({ mail }: MailState, turn: TurnId): MailWhy | null {
  for (const one of mail.values())
    for (const [role, delivery] of one.deliveries)
      if (delivery.at === 'failed' && delivery.turn === turn)
        return failedCopy(one, role, `${named(one.message)} in turn ${turn}`);
  return null;
}

/**
 * The limit with which the next launch of a role in a thread must fail, as its key: nothing that
 * starts one helps before it is raised. Null: none.
 */
export function limitInTheWay(
  state: MailState,
  protocol: Protocol,
  thread: ThreadId,
  role: RoleName,
): string | null {
  const budget = protocol.roles.get(role)?.budget ?? null;
  const { turnsPerThread } = protocol.limits;
  if ((state.threads.get(thread)?.turns ?? 0) >= turnsPerThread) return 'limits.turns_per_thread';
  if (fitsThread(state, protocol, [], thread, budget) === 'never') return 'limits.budget.thread';
  return fits(protocol.limits.dayBudget, noCost, noCost, budget) === 'never' ? 'limits.budget.day' : null;
}
