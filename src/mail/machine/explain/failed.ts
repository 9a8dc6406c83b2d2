import { because, failureCode } from '../../../kernel/why.ts';
import type { RoleName } from '../../../kernel/ids.ts';
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
