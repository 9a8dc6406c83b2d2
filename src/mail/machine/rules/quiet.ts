import type { Fact } from '../event.ts';
import { isHuman, type Protocol } from '../../format/protocol.ts';
import type { MailState } from '../state.ts';
import { stepOf } from '../step.ts';
import { nextOf } from './expects.ts';
import { noticeToUser } from './notices.ts';
import { endOfId, type MessageId, type RoleName, type ThreadId } from '../../../kernel/ids.ts';

/**
 * Threads that are still open although nothing more can happen in them. `user` is notified once.
 */
export function threadsAtRest(state: MailState, protocol: Protocol): Fact[] {
  return [...state.possiblyQuiet].flatMap((id): Fact[] => {
    const thread = state.threads.get(id);
    if (thread?.state !== 'open' || thread.running > 0) return [];
    // A request that `retry` put back may have no wait any more; its deadline still counts.
    if (thread.messages.some((message) => state.deadlines.has(message))) return [];
    const left = waitingIn(state, id);
    const startable = left.some(({ role }) => {
      const known = protocol.roles.get(role);
      return known && !isHuman(protocol, role) && nextOf(state, known, id, null) !== null;
    });
    if (startable) return [];
    const waiting = left.map(
      ({ message, role }) => `- ${message}, for ${role}: ${state.mail.get(message)?.message.subject ?? ''}`,
    );
    const notice = noticeToUser(id, `Quiet: ${thread.subject}`, [
      'No work is left in this thread, and no message closed it.',
      ...(waiting.length > 0 ? ['', 'These messages wait for others that never came:', ...waiting] : []),
      '',
      `To continue, run \`mailroom send ROLE --thread ${endOfId(id)} --message TEXT\`.`,
    ]);
    // No notice for every finished step: the run reports it.
    const done = left.length === 0 && stepOf(state, id) !== null;
    return [{ type: 'quieted', thread: id, notices: done ? [] : [notice] }];
  });
}

/** The copies in a thread that wait to be picked up, and by which role. */
function waitingIn(state: MailState, thread: ThreadId): { message: MessageId; role: RoleName }[] {
  return (state.threads.get(thread)?.messages ?? []).flatMap((message) =>
    [...(state.mail.get(message)?.deliveries ?? [])]
      .filter(([, { at }]) => at === 'inbox')
      .map(([role]) => ({ message, role })),
  );
}
