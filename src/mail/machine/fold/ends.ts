import type { Happening } from '../event.ts';
import type { Message } from '../../format/message.ts';
import type { MailState } from '../state.ts';
import { askState, escalateAsk, failCopy, loseCandidate } from './asks.ts';
import { canTakeOver, hand } from './escalation.ts';
import { replaceReply } from './sending.ts';

type AskEvent = Extract<Happening<Message>, { type: 'escalated' | 'proceeded' | 'failed-back' }>;

/** Applies an event that changes or ends an ask without its reply. */
export function ask(state: MailState, event: AskEvent): boolean {
  const mail = state.mail.get(event.ask.request);
  const open = askState(state, event.ask);
  if (!mail || open?.is !== 'open') return false;
  switch (event.type) {
    case 'escalated':
      if (open.escalated !== null || !canTakeOver(state, mail, event.to)) return false;
      escalateAsk(state, event.ask, event.to);
      hand(state, mail, event.ask, event.to, event.person);
      return true;
    case 'proceeded':
      if (event.notice.thread !== mail.message.thread) return false;
      replaceReply(state, event.ask, event.notice, event.person);
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
