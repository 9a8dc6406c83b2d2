import { endOfId, type RoleName, type ThreadId } from '../../kernel/ids.ts';
import type { MailExplainer } from '../machine/explain/explain.ts';
import type { MailWhy } from '../machine/explain/words.ts';
import type { MailState, Thread } from '../machine/state.ts';
import type { SubThreadWhy } from '../../documents/mail.ts';

/** The open sub-threads of a thread, or of all threads in which a role waits for them. */
export function subThreads(
  state: MailState,
  explainer: MailExplainer,
  of: { readonly thread: ThreadId | null; readonly role: RoleName | null },
  hosted: (why: MailWhy, thread: ThreadId) => { readonly reason: string },
): SubThreadWhy[] {
  const waits = of.role === null ? [] : [...state.waits.values()].filter(({ role }) => role === of.role);
  const ids = of.thread === null ? waits.flatMap(({ requests }) => requests) : childrenOf(state, of.thread);
  return ids
    .flatMap((id) => state.threads.get(id) ?? [])
    .filter(isOpenChild)
    .map((thread) => ({
      thread: thread.id,
      subject: thread.subject,
      reason: hosted(explainer.thread(thread), thread.id).reason,
      command: `mailroom why ${endOfId(thread.id)}`,
    }));
}

function childrenOf({ threads }: MailState, id: ThreadId): readonly ThreadId[] {
  return threads.get(id)?.children ?? [];
}

function isOpenChild({ parent, state }: Thread): boolean {
  return parent !== null && state === 'open';
}
