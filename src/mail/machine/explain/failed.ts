import { fitsThread } from '../rules/thread-budgets.ts';
import { dayOf, fits, isLimited, noCost } from '../../../kernel/money.ts';
import { because, failureCode } from '../../../kernel/why.ts';
import type { RoleName, ThreadId } from '../../../kernel/ids.ts';
import type { Protocol } from '../../format/protocol.ts';
import type { TurnId } from '../../../letters/target.ts';
import { mailroom } from '../../format/message.ts';
import type { Mail, MailState, Thread } from '../state.ts';
import { named, type MailWhy } from './words.ts';

/**
 * Why a role did not handle a message; null: its copy did not fail. `what`: the message, in words.
 */
export function failedCopy({ message, deliveries }: Mail, role: RoleName, what: string): MailWhy | null {
  const delivery = deliveries.get(role);
  if (delivery?.at !== 'failed') return null;
  const { reason } = delivery;
  return because(failureCode(reason), `${role} did not handle ${what}: ${reason.code}: ${reason.text}`, {
    cause: { record: message.id, at: message.created },
    act: { do: 'retry', message: message.id, role },
  });
}

/** The newest message to a role, if the role did not handle it. */
export function failedLast({ mail }: MailState, role: RoleName): MailWhy | null {
  const newest = [...mail.values()].findLast(({ deliveries }) => deliveries.has(role));
  return newest ? failedCopy(newest, role, named(newest.message)) : null;
}

/** The newest message of a thread, apart from notices, if a role did not handle it. */
export function failedIn({ mail }: MailState, { messages }: Thread): MailWhy | null {
  const newest = messages
    .flatMap((id) => mail.get(id) ?? [])
    .findLast(({ message }) => message.from !== mailroom);
  if (!newest) return null;
  const whys = [...newest.deliveries.keys()].map((role) => failedCopy(newest, role, named(newest.message)));
  return whys.find((why) => why !== null) ?? null;
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
  { thread, role, now }: { readonly thread: ThreadId; readonly role: RoleName; readonly now: number },
): string | null {
  const { turnsPerThread, dayBudget } = protocol.limits;
  const budget = protocol.roles.get(role)?.budget ?? null;
  if ((state.threads.get(thread)?.turns ?? 0) >= turnsPerThread) return 'limits.turns_per_thread';
  if (fitsThread(state, protocol, [], thread, budget) === 'never') return 'limits.budget.thread';
  const today = state.spent.day === dayOf(now) ? state.spent.cost : noCost;
  const isOver = isLimited(dayBudget) && fits(dayBudget, today, { usd: 0, tokens: 0 }, budget) === 'never';
  return isOver ? 'limits.budget.day' : null;
}
