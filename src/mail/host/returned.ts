import type { Fact } from '../machine/event.ts';
import { copyKey } from '../machine/fold/places.ts';
import type { MailState } from '../machine/state.ts';
import { formatMessage } from '../format/read-message.ts';
import type { Dropped } from '../format/boxes.ts';

/** How each file that we write begins. */
const ours = /^---\nid: ([\w-]+)\n/;

/**
 * What comes of a file that was taken out of this inbox and lies there again, unchanged: its message is put back, by
 * the event `id`. Null: the file is no such.
 */
export function returned(
  state: MailState,
  { role, box }: Pick<Dropped, 'role' | 'box'>,
  text: string,
  id: string,
): Fact[] | null {
  const message = state.mail.get(ours.exec(text)?.[1] ?? '')?.message;
  if (!message || box !== 'inbox' || formatMessage(message) !== text) return null;
  const at = state.mail.get(message.id)?.deliveries.get(role)?.at;
  if (at === 'withdrawn' || at === 'read') {
    const command = { verb: 'retry', message, role } as const;
    return [{ type: 'controlled', id, by: 'user', command, refusal: null }];
  }
  // A controller that was killed before it let go of the file has put the message back already.
  const put = state.pendingProjections.get(copyKey(message.id, role));
  return put?.kind === 'copy' && (at === 'inbox' || at === 'unread') ? [] : null;
}
