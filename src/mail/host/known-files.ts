import type { Fact, Sent } from '../machine/event.ts';
import { copyKey } from '../machine/fold/places.ts';
import type { MailState } from '../machine/state.ts';
import { type Message, subjectLine, subjectOf, type Draft } from '../format/message.ts';
import { withoutBlock } from '../format/own-block.ts';
import { formatMessage } from '../format/read-message.ts';
import type { Dropped } from '../format/boxes.ts';
import { isHuman, typeNamed, type Protocol } from '../format/protocol.ts';
import type { Drop } from '../machine/rules/admit.ts';

/** The first lines of every file that Mailroom writes. */
const ours = /^---\nid: ([\w-]+)\n/;

/**
 * A file that was removed from this inbox and returns unchanged puts its message back, by the event
 * `id`. Null: it is not such a file.
 */
export function returned(
  state: MailState,
  { role, box }: Pick<Dropped, 'role' | 'box'>,
  text: string,
  id: string,
): Fact[] | null {
  const message = state.mail.get(ours.exec(text)?.[1] ?? '')?.message;
  if (!message || box !== 'inbox' || !isUnchanged(message, text)) return null;
  const at = state.mail.get(message.id)?.deliveries.get(role)?.at;
  if (at === 'withdrawn' || at === 'read') {
    const command = { verb: 'retry', message, role } as const;
    return [{ type: 'controlled', id, by: 'user', command, refusal: null }];
  }
  // A controller killed before it removed the file has already put the message back.
  const put = state.pendingProjections.get(copyKey(message.id, role));
  return put?.kind === 'copy' && (at === 'inbox' || at === 'unread') ? [] : null;
}

/** A missing line feed at the end does not count: a block below the message adds one. */
function isUnchanged(message: Message, text: string): boolean {
  const [stored, found] = [formatMessage(message), withoutBlock(text)];
  return found === stored || found === `${stored}\n`;
}

/**
 * With no journal, waiting mail is accepted with the sender that it names, and answers nothing.
 * Null when the file names no sender; then it is judged like any other.
 */
export function trusted(protocol: Protocol, drop: Drop, draft: Draft): { sent: Sent } | null {
  const { from, type } = draft;
  if (drop.box !== 'inbox' || from === null || type === null) return null;
  const known = type === 'notice' || typeNamed(protocol, type) !== undefined;
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
