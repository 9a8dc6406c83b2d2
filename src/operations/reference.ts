import type { MailState } from '../mail/machine/state.ts';
import type { MessageId } from '../kernel/ids.ts';

/** The front-matter key by which `send` finds its message again: only the controller knows the id that it gave. */
export const reference = 'mailroom_ref';

/** The message that carries this reference; the first one, as authors copy the headers of what they answer. */
export function referred(state: MailState, text: string): MessageId | null {
  for (const { message } of state.mail.values()) if (message.extra[reference] === text) return message.id;
  return null;
}
