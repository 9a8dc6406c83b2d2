import type { Fact } from '../event.ts';
import { isHuman, type Protocol } from '../../format/protocol.ts';
import type { MailState, Thread } from '../state.ts';
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
    if (thread?.state !== 'open' || thread.running > 0 || owesParent(state, thread)) return [];
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
    // No notice for every finished step or sub-thread: the run, or its parent, has the answer.
    const done = left.length === 0 && (stepOf(state, id) !== null || thread.parent !== null);
    return [{ type: 'quieted', thread: id, notices: done ? [] : [notice] }];
  });
}

/** Whether the thread that opened this one still waits for its answer. */
function owesParent(state: MailState, { id, parent }: Thread): boolean {
  const request = parent === null ? null : state.mail.get(id)?.request;
  const asks = [...(request?.asks.values() ?? [])];
  return state.waits.has(request?.wait ?? '') && asks.some((ask) => ask.is === 'open');
}

/** The copies in a thread that wait to be picked up, and by which role. */
function waitingIn(state: MailState, thread: ThreadId): { message: MessageId; role: RoleName }[] {
  const { messages = [] } = state.threads.get(thread) ?? {};
  // A wait of the parent has the answers of a sub-thread.
  const own = messages.filter(
    (message) => (state.waits.get(state.mail.get(message)?.wait ?? '')?.thread ?? thread) === thread,
  );
  return own.flatMap((message) =>
    [...(state.mail.get(message)?.deliveries ?? [])]
      .filter(([, { at }]) => at === 'inbox')
      .map(([role]) => ({ message, role })),
  );
}
