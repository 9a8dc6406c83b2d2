import type { Ask, Happening } from '../event.ts';
import type { Message, RoleName } from '../message.ts';
import type { Mail, MailState } from '../state.ts';
import { askKey, askState, escalateAsk, failCopy, loseCandidate, settleAsk } from './asks.ts';
import { place } from './places.ts';
import { standIn } from './sending.ts';
import { changeTurn } from './turns.ts';
import { addDebt } from './waits.ts';

type AskEvent = Extract<Happening<Message>, { type: 'escalated' | 'proceeded' | 'failed-back' }>;

/** How an ask goes on, or ends, without its reply. */
export function ask(state: MailState, event: AskEvent): boolean {
  const mail = state.mail.get(event.ask.request);
  const open = askState(state, event.ask);
  if (!mail || open?.is !== 'open') return false;
  switch (event.type) {
    case 'escalated':
      if (open.escalated !== null) return false;
      escalateAsk(state, event.ask, event.to);
      hand(state, mail, event.ask, event.to, event.person);
      return true;
    case 'proceeded':
      if (event.standIn.thread !== mail.message.thread) return false;
      standIn(state, event.ask, event.standIn, event.person);
      return true;
    case 'failed-back':
      for (const candidate of open.candidates) {
        if (mail.deliveries.get(candidate)?.at === 'inbox') failCopy(state, mail, candidate, event.reason);
        loseCandidate(state, event.ask, candidate, event.reason);
      }
      return true;
    default:
      return event satisfies never;
  }
}

/** Gives a request to another role. Where that role has it already, one answer does for both. */
function hand(state: MailState, mail: Mail, added: Ask, to: RoleName, person: boolean): void {
  const own = mail.request?.asks.get(to);
  if (own?.is === 'answered' && own.from === to) {
    const delivered = state.mail.get(own.by)?.deliveries.get(mail.message.from)?.at;
    const toPerson = delivered === 'unread' || delivered === 'read';
    return settleAsk(state, added, own.by, to, toPerson);
  }
  const delivery = mail.deliveries.get(to);
  if (delivery?.at === 'claimed') {
    const turn = state.turns.get(delivery.turn);
    if (turn) changeTurn(state, turn.id, { owes: [...turn.owes, added] });
    return;
  }
  const owing = [...state.waits.values()].find(
    ({ role, owes }) =>
      role === to && owes.some((one) => one.request === added.request && askKey(one) !== askKey(added)),
  );
  const debtor = [...state.turns.values()].find(
    ({ role, owes }) => role === to && owes.some(({ request }) => request === added.request),
  );
  if (debtor) changeTurn(state, debtor.id, { owes: [...debtor.owes, added] });
  else if (owing) addDebt(state, owing.id, added);
  else if (delivery?.at !== 'inbox' && delivery?.at !== 'unread') {
    // Whether that role takes it up by itself was not asked when it was sent.
    const handed = { ...mail, joins: [...mail.joins, to] };
    state.mail.set(mail.message.id, handed);
    place(state, handed, to, person ? { at: 'unread' } : { at: 'inbox' });
  }
}
