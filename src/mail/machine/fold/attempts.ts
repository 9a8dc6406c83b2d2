import type { Happening } from '../event.ts';
import type { Message } from '../../format/message.ts';
import type { MailState, Turn } from '../state.ts';
import { answerQuestion, continueTurn } from './questions.ts';
import { abandon, changeTurn, commit } from './turns.ts';

type TurnEvent = Extract<
  Happening<Message>,
  {
    type:
      | 'unanswered'
      | 'continued'
      | 'corrected'
      | 'requeued'
      | 'conflicted'
      | 'resumed'
      | 'committed'
      | 'abandoned';
  }
>;

/** Updates a turn after an invocation. */
export function turn(state: MailState, event: TurnEvent): boolean {
  const known = state.turns.get(event.turn);
  if (!known) return false;
  const { id, phase } = known;
  switch (event.type) {
    case 'unanswered':
      return answerQuestion(state, known, { allowed: false, by: null, comment: null });
    case 'continued':
      return continueTurn(state, known);
    case 'corrected':
      return correct(state, known, event.problems);
    case 'requeued':
      if (phase.is !== 'failed') return false;
      changeTurn(state, id, {
        failures: known.failures + (event.counted ? 1 : 0),
        lastFailure: phase.reason,
        phase: { is: 'pending', notBefore: event.notBefore },
      });
      return true;
    case 'conflicted':
      if (phase.is !== 'failed') return false;
      changeTurn(state, id, {
        conflict: {
          by: event.by,
          text: phase.reason.text,
          waits: event.by === 'person',
          ...(event.notices[0] !== undefined && { notice: event.notices[0].id }),
        },
        phase: { is: 'pending', notBefore: 0 },
      });
      return true;
    case 'resumed':
      if (phase.is !== 'pending') return false;
      changeTurn(state, id, {
        provider: event.provider,
        attempt: known.attempt + 1,
        round: 0,
        merges: 0,
        problems: [],
        host: null,
        reserved: true,
        phase: { is: 'active', since: state.now, launched: null, worker: null },
      });
      return true;
    case 'committed':
      return commit(state, known, event);
    case 'abandoned':
      abandon(state, known, event.reason);
      return true;
    default:
      return event satisfies never;
  }
}

/** Its agent runs again with the reasons: the next round. */
function correct(state: MailState, { id, round, phase }: Turn, problems: readonly string[]): boolean {
  if (phase.is !== 'returned' && phase.is !== 'refused') return false;
  changeTurn(state, id, {
    round: round + 1,
    problems,
    lastResult: phase.result,
    reserved: true,
    // The time in a landing queue does not count against its timeout.
    phase: {
      is: 'active',
      since: phase.is === 'refused' ? state.now : phase.since,
      launched: null,
      worker: null,
    },
  });
  return true;
}
