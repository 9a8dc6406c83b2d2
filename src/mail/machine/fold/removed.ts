import type { Happening } from '../event.ts';
import type { Message } from '../../format/message.ts';
import type { MailState } from '../state.ts';
import { breakAsks } from './asks.ts';
import { copyKey, place } from './places.ts';
import { retire } from './threads.ts';
import type { Reason } from '../../../kernel/errors.ts';

const withdrawn: Reason = { code: 'E_CANCELLED', text: 'its file was removed by hand' };

/** A file is gone from an inbox: its person has read it, or somebody has taken it from an agent. */
export function removed(
  state: MailState,
  event: Extract<Happening<Message>, { type: 'withdrawn' | 'read' }>,
): boolean {
  const mail = state.mail.get(event.message);
  const at = mail?.deliveries.get(event.recipient)?.at;
  if (event.type === 'read') {
    const unread = state.unread.delete(copyKey(event.message, event.recipient));
    if (at === 'unread') mail?.deliveries.set(event.recipient, { at: 'read' });
    return unread;
  }
  if (!mail || at !== 'inbox') return false;
  place(state, mail, event.recipient, { at: 'withdrawn' });
  breakAsks(state, mail, event.recipient, withdrawn);
  retire(state, mail.message.thread);
  return true;
}
