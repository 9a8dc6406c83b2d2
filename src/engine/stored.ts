import type { Message } from '../core/mail/message.ts';
import { parseEnvelope } from '../spec/message.ts';

/** A message as we once wrote it into a mailbox; null when the text is no such message (any more). */
export function readStored(text: string): Message | null {
  const parsed = parseEnvelope(text, 'message');
  return parsed.ok ? parsed.value : null;
}
