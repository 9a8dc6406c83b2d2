import type { Sent } from '../machine/event.ts';
import { mailroom, subjectLine } from '../format/message.ts';
import type { MailState } from '../machine/state.ts';
import type { RoleName } from '../../kernel/ids.ts';

/** A notice to the sender of a message that was withdrawn by hand. */
export function withdrawnNotice(
  state: MailState,
  id: string,
  to: RoleName,
  newId: string,
  now: number,
): Sent {
  const message = state.mail.get(id)?.message;
  return {
    message: {
      id: newId,
      type: 'notice',
      from: mailroom,
      to: [to],
      thread: message?.thread ?? newId,
      inReplyTo: id,
      subject: subjectLine(`Withdrawn: ${message?.subject ?? id}`),
      created: now,
      work: null,
      attachments: [],
      fields: {},
      extra: {},
      body: 'A person removed this message before it was read. No role will handle it.',
    },
    request: null,
    answers: null,
    late: false,
    closes: false,
    joins: [],
    people: [],
    opens: null,
  };
}
