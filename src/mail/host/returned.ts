import type { Fact } from '../machine/event.ts';
import { copyKey } from '../machine/fold/places.ts';
import type { MailState } from '../machine/state.ts';
import type { Message } from '../format/message.ts';
import { withoutBlock } from '../format/own-block.ts';
import { formatMessage } from '../format/read-message.ts';
import type { Dropped } from '../format/boxes.ts';

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
