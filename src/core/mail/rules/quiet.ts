import type { Fact } from '../event.ts';
import type { ThreadId } from '../message.ts';
import type { Protocol } from '../protocol.ts';
import type { MailState } from '../state.ts';
import { takesAlone } from './claims.ts';
import { tellUser } from './notices.ts';

/** Threads in which nothing more can happen although nothing closed them. `user` is told once. */
export function quieted(state: MailState, protocol: Protocol): Fact[] {
  const busy = new Set<ThreadId>();
  for (const { thread } of state.turns.values()) busy.add(thread);
  for (const { thread } of state.waits.values()) busy.add(thread);
  return [...state.stirred].flatMap((id): Fact[] => {
    const thread = state.threads.get(id);
    if (thread?.state !== 'open' || busy.has(id)) return [];
    const left = thread.messages.filter((message) => waits(state, message));
    const startable = left.some((message) => startsAlone(state, protocol, message));
    if (startable) return [];
    const waiting = left.map((message) => `- ${message}: ${state.mail.get(message)?.message.subject ?? ''}`);
    const notice = tellUser(id, `Quiet: ${thread.subject}`, [
      'Nothing more can happen in this thread, and nothing closed it.',
      ...(waiting.length > 0 ? ['', 'These wait for others that never came:', ...waiting] : []),
      '',
      'A message with this thread goes on with it.',
    ]);
    return [{ type: 'quieted', thread: id, notices: [notice] }];
  });
}

function waits(state: MailState, id: string): boolean {
  return [...(state.mail.get(id)?.deliveries.values() ?? [])].some(({ at }) => at === 'inbox');
}

function startsAlone(state: MailState, protocol: Protocol, id: string): boolean {
  const mail = state.mail.get(id);
  return [...(mail?.deliveries ?? [])].some(
    ([role, { at }]) => at === 'inbox' && takesAlone(protocol.roles.get(role), mail?.message.type ?? ''),
  );
}
