import type { MailState } from '../machine/state.ts';
import type { MessageId } from '../../kernel/ids.ts';

/**
 * The front-matter key by which `send` finds its message again: only the controller knows the
 * message's id.
 */
export const reference = 'mailroom_ref';

/**
 * The first message with this reference; null: none. A reply may copy the headers of its message,
 * and so the reference.
 */
export function referred(state: MailState, text: string): MessageId | null {
  for (const { message } of state.mail.values()) if (message.extra[reference] === text) return message.id;
  return null;
}
