import type { Ask } from '../event.ts';
import type { Mail, MailState, Turn, Wait } from '../state.ts';
import { settleAsk } from './asks.ts';
import { place } from './places.ts';
import { changeTurn } from './turns.ts';
import { addDebt } from './waits.ts';
import type { MessageId, RoleName } from '../../../kernel/ids.ts';

/** What a role already has of a request that is to be escalated to it. */
type Hold =
  /** It has no copy: it can be given one. */
  | { readonly is: 'free' }
  | { readonly is: 'waiting' }
  | { readonly is: 'turn'; readonly turn: Turn }
  | { readonly is: 'wait'; readonly wait: Wait }
  | { readonly is: 'answered'; readonly by: MessageId }
  /** It has handled the request and owes nothing: no request is picked up twice. */
  | { readonly is: 'done' };

function holdOf(state: MailState, mail: Mail, role: RoleName): Hold {
  const own = mail.request?.asks.get(role);
  if (own?.is === 'answered' && own.from === role) return { is: 'answered', by: own.by };
  const delivery = mail.deliveries.get(role);
  if (delivery?.at === 'inbox' || delivery?.at === 'unread') return { is: 'waiting' };
  const claimed = delivery?.at === 'claimed' ? state.turns.get(delivery.turn) : undefined;
  if (claimed) return { is: 'turn', turn: claimed };
  if (delivery?.at !== 'processed') return { is: 'free' };
  const owes = (one: Turn | Wait) =>
    one.role === role && one.owes.some(({ request }) => request === mail.message.id);
  const turn = [...state.turns.values()].find(owes);
  if (turn) return { is: 'turn', turn };
  const wait = [...state.waits.values()].find(owes);
  return wait ? { is: 'wait', wait } : { is: 'done' };
}

/** Whether escalating a request to this role can bring an answer. */
export function canTakeOver(state: MailState, mail: Mail, role: RoleName): boolean {
  return holdOf(state, mail, role).is !== 'done';
}

/**
 * Escalates a request to another role. If that role has it already, one answer serves both asks.
 */
export function hand(state: MailState, mail: Mail, added: Ask, to: RoleName, person: boolean): void {
  const hold = holdOf(state, mail, to);
  if (hold.is === 'answered') {
    const delivered = state.mail.get(hold.by)?.deliveries.get(mail.message.from)?.at;
    settleAsk(state, added, hold.by, to, delivered === 'unread' || delivered === 'read');
  }
  if (hold.is === 'turn') changeTurn(state, hold.turn.id, { owes: [...hold.turn.owes, added] });
  if (hold.is === 'wait') addDebt(state, hold.wait.id, added);
  if (hold.is !== 'free') return;
  // Whether that role picks it up alone was not determined when it was sent.
  const handed = { ...mail, joins: [...new Set([...mail.joins, to])] };
  state.mail.set(mail.message.id, handed);
  place(state, handed, to, person ? { at: 'unread' } : { at: 'inbox' });
}
