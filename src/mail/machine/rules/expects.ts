import { builtInTypes } from '../../format/message.ts';
import type { Role } from '../../format/protocol.ts';
import type { Mail, MailState } from '../state.ts';
import type { MessageId, ThreadId } from '../../../kernel/ids.ts';

const alwaysAccepted: ReadonlySet<string> = new Set(builtInTypes);

/** True when the role picks up this type alone. */
export function takesAlone(role: Role | undefined, type: string): boolean {
  if (!role) return false;
  if (alwaysAccepted.has(type)) return true;
  return role.expects.some(
    ({ kind, types }) => (kind === 'any' || types.length === 1) && types.includes(type),
  );
}

/**
 * What the role picks up next of its waiting mail in a thread: in the journal's order, the first
 * message that completes a clause. Null: none does yet. While the role waits for answers, only
 * `allowed` mail counts, without joins.
 */
export function nextOf(
  state: MailState,
  role: Role,
  thread: ThreadId,
  allowed: ((mail: Mail) => boolean) | null,
): MessageId[] | null {
  const gathered = new Map<string, MessageId>();
  for (const id of state.roles.get(role.name)?.inThread.get(thread) ?? []) {
    const mail = state.mail.get(id);
    if (!mail || (allowed && !allowed(mail))) continue;
    const { type } = mail.message;
    if (alwaysAccepted.has(type)) return [id];
    if (!gathered.has(type)) gathered.set(type, id);
    for (const { kind, types } of role.expects) {
      if (!types.includes(type)) continue;
      if (kind === 'any' || types.length === 1) return [id];
      const all = types.flatMap((name) => gathered.get(name) ?? []);
      if (!allowed && all.length === types.length) return all;
    }
  }
  return null;
}
