import type { MailState, Permission, Phase, Turn } from '../state.ts';
import { place } from './places.ts';

/** The decision about what a turn waits for. False: it waits for none. */
export function answerQuestion(state: MailState, turn: Turn, answer: Permission): boolean {
  const { phase } = turn;
  if (phase.is !== 'asking' || phase.answer !== null) return false;
  fileQuestion(state, phase);
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

/** The notice of a question that needs no answer any more need not be read either. */
export function fileQuestion(
  state: MailState,
  { notice, person }: Extract<Phase, { readonly is: 'asking' }>,
): void {
  const mail = state.mail.get(notice);
  if (mail?.deliveries.get(person)?.at === 'unread') place(state, mail, person, { at: 'processed' });
}
