import type { Reason } from '../event.ts';
import type { ThreadId } from '../message.ts';
import { nothing, type Delivery, type MailState, type Thread, type ThreadState } from '../state.ts';
import { askKey } from './asks.ts';
import { place } from './places.ts';

/** Ended threads that the state still remembers whole, so that people can look at them and go on with them. */
const remembered = 100;

/** The thread of a message; opened, or opened again, when it is not open. */
export function openThread(state: MailState, id: ThreadId, subject: string): void {
  const known = state.threads.get(id);
  state.ended.delete(id);
  if (known?.state === 'open') return;
  state.threads.set(
    id,
    known
      ? { ...known, state: 'open', reason: null }
      : {
          id,
          state: 'open',
          subject,
          opened: state.now,
          messages: [],
          count: 0,
          turns: 0,
          cost: nothing,
          tree: null,
          sessions: {},
          reason: null,
        },
  );
}

export function changeThread(state: MailState, id: ThreadId, change: Partial<Thread>): void {
  const known = state.threads.get(id);
  if (known) state.threads.set(id, { ...known, ...change });
}

/** Ends a thread: its requests and waits are over, its waiting mail goes where `rest` says. */
export function endThread(
  state: MailState,
  id: ThreadId,
  how: Exclude<ThreadState, 'open' | 'quiet'>,
  reason: Reason | null,
  rest: Delivery,
): void {
  for (const wait of state.waits.values()) if (wait.thread === id) state.waits.delete(wait.id);
  for (const messageId of state.threads.get(id)?.messages ?? []) {
    const mail = state.mail.get(messageId);
    if (!mail) continue;
    for (const recipient of mail.request?.asks.keys() ?? [])
      state.broken.delete(askKey({ request: messageId, recipient }));
    state.deadlines.delete(messageId);
    const over = { ...mail, request: null, wait: null };
    state.mail.set(messageId, over);
    for (const [role, delivery] of mail.deliveries)
      if (delivery.at === 'inbox') place(state, over, role, rest);
  }
  changeThread(state, id, { state: how, reason });
  retire(state, id);
}

/** Remembers an ended thread as the newest one, and forgets the oldest. */
export function retire(state: MailState, id: ThreadId): void {
  state.stirred.delete(id);
  state.ended.delete(id);
  state.ended.add(id);
  for (const oldest of state.ended) {
    if (state.ended.size <= remembered) return;
    const busy = [...state.turns.values()].some((turn) => turn.thread === oldest);
    if (busy) continue;
    for (const messageId of state.threads.get(oldest)?.messages ?? []) state.mail.delete(messageId);
    state.threads.delete(oldest);
    state.paused.threads.delete(oldest);
    state.ended.delete(oldest);
  }
}
