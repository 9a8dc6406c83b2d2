import type { Sent } from '../machine/event.ts';
import { subjectLine, subjectOf, type Draft } from '../format/message.ts';
import { isHuman, type Protocol } from '../format/protocol.ts';
import type { Drop } from '../machine/rules/admit.ts';

/**
 * With no journal, waiting mail is accepted with the sender that it names, and answers nothing.
 * Null when the file names no sender; then it is judged like any other.
 */
export function trusted(protocol: Protocol, drop: Drop, draft: Draft): { sent: Sent } | null {
  const { from, type } = draft;
  if (drop.box !== 'inbox' || from === null || type === null) return null;
  const known = type === 'notice' || protocol.types.has(type);
  if (!known || (from === 'user' && draft.thread === null)) return null;
  const { id, created, role } = drop;
  return {
    sent: {
      message: {
        id,
        type,
        from,
        to: [role],
        thread: draft.thread ?? id,
        inReplyTo: draft.inReplyTo,
        subject: subjectLine(draft.subject ?? subjectOf(draft.body)),
        created,
        work: null,
        attachments: draft.attachments,
        fields: draft.fields,
        extra: draft.extra,
        body: draft.body,
      },
      request: null,
      answers: null,
      late: false,
      closes: false,
      joins: [],
      people: isHuman(protocol, role) ? [role] : [],
      opens: null,
    },
  };
}
