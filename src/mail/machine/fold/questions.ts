import type { MessageId } from '../../../kernel/ids.ts';
import type { MailState, Permission, Turn } from '../state.ts';
import { place } from './places.ts';

/** The decision about what a turn waits for. False: it waits for none. */
export function answerQuestion(state: MailState, turn: Turn, answer: Permission): boolean {
  const { phase } = turn;
  if (phase.is !== 'asking' || phase.answer !== null) return false;
  fileNotice(state, phase.notice);
  state.turns.set(turn.id, { ...turn, phase: { ...phase, answer } });
  return true;
}

/** Its agent runs again with the decision: the next round. */
export function continueTurn(state: MailState, turn: Turn): boolean {
  const { id, attempt, round, decided, phase } = turn;
  if (phase.is !== 'asking' || phase.answer === null) return false;
  const { calls, answer } = phase;
  state.turns.set(id, {
    ...turn,
    round: round + 1,
    problems: [],
    decided: [...decided, { ...answer, calls, attempt, round: round + 1 }],
    reserved: true,
    // The time that a person takes does not count against its timeout.
    phase: { is: 'active', since: state.now, launched: null, worker: null },
  });
  return true;
}

/** A notice that asks a person for something need not be read any more once that is settled. */
export function fileNotice(state: MailState, notice: MessageId): void {
  const mail = state.mail.get(notice);
  for (const [role, { at }] of mail?.deliveries ?? [])
    if (mail && at === 'unread') place(state, mail, role, { at: 'processed' });
}
