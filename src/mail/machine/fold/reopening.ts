import type { Ask } from '../event.ts';
import type { Mail, MailState, Wait, WaitId } from '../state.ts';
import { askAgain, askKey, askState, isOpen, setAsk } from './asks.ts';
import { place, roleState } from './places.ts';
import { openThread } from './threads.ts';
import { addWait } from './waits.ts';
import type { MessageId, RoleName } from '../../../kernel/ids.ts';

/*
 * What a retry puts back. A message belongs to a wait as its request, or as an answer to one. Where
 * a failure has ended that wait, it opens again as a whole, whichever of its messages is retried:
 * answers return to the inbox, and requests without one to who was asked. So does the wait of who
 * waits for its role, and of a role that must itself have answers first.
 */

/** Puts a dead letter back into its inbox, at the end of the queue, and reopens its thread. */
export function putBack(state: MailState, id: MessageId, role: RoleName): void {
  const { request, wait } = state.mail.get(id) ?? { request: null, wait: null };
  if (state.cut.get(wait ?? '')?.role === role) reopen(state, wait);
  reopen(state, request?.wait ?? null);
  const known = state.mail.get(id);
  const at = known?.deliveries.get(role)?.at;
  if (!known || (at !== 'failed' && at !== 'withdrawn')) return;
  openThread(state, known.message.thread, known.message.subject);
  const mail = { ...known, order: ++state.lastMail };
  state.mail.set(id, mail);
  askAgain(state, mail, role);
  place(state, mail, role, { at: 'inbox' });
}

/** Opens a wait that a failure has ended; any other is left alone. */
function reopen(state: MailState, id: WaitId | null): void {
  const wait = state.cut.get(id ?? '');
  if (!wait) return;
  state.cut.delete(wait.id);
  openThread(state, wait.thread, '');
  addWait(state, wait);
  const asks = wait.requests.flatMap((request) =>
    [...(state.mail.get(request)?.request?.asks.keys() ?? [])].map((recipient) => ({ request, recipient })),
  );
  for (const ask of asks) awaitAgain(state, wait, ask);
  for (const owed of wait.owes) {
    const mail = state.mail.get(owed.request);
    reopen(state, mail?.request?.wait ?? null);
    if (mail) askedAgain(state, mail, owed, wait.role);
  }
  if (!asks.some((ask) => isOpen(state, ask))) roleState(state, wait.role).answered.add(wait.id);
}

/** An answer returns to who asked; without one, all who were asked are asked again. */
function awaitAgain(state: MailState, { role }: Wait, ask: Ask): void {
  const current = askState(state, ask);
  const mail = state.mail.get(ask.request);
  const was = current?.is === 'over' ? current.was : current;
  if (!mail) return;
  if (was?.is === 'answered') {
    setAsk(state, mail, ask.recipient, was);
    const answer = state.mail.get(was.by);
    const at = answer?.deliveries.get(role)?.at;
    if (answer && (at === 'failed' || at === 'processed')) place(state, answer, role, { at: 'inbox' });
    return;
  }
  const escalated = was?.escalated ?? null;
  openThread(state, mail.message.thread, mail.message.subject);
  askedAgain(state, mail, ask, ask.recipient);
  if (escalated !== null) askedAgain(state, mail, ask, escalated);
  if (isOpen(state, ask)) return;
  // It ends as its request says.
  setAsk(state, mail, ask.recipient, { is: 'open', candidates: [], escalated });
  const reason = { code: 'E_CANCELLED', text: `${ask.recipient} can no longer answer` } as const;
  state.broken.set(askKey(ask), { ...ask, reason });
}

/** A role that was asked can answer again, if it has the request, or had begun with it. */
function askedAgain(state: MailState, mail: Mail, ask: Ask, role: RoleName): void {
  const at = mail.deliveries.get(role)?.at;
  if (at === 'failed' || at === 'withdrawn') return putBack(state, mail.message.id, role);
  const owing = [...state.waits.values(), ...state.cut.values()].filter(
    (wait) => wait.role === role && wait.owes.some((owed) => askKey(owed) === askKey(ask)),
  );
  if (at === 'processed' && owing.length === 0) return;
  askAgain(state, mail, role);
  if (at === 'read') place(state, mail, role, { at: 'unread' });
  for (const { id } of owing) reopen(state, id);
}
