import { limitUsage } from '../../../kernel/usage-limits.ts';
import type { Happening, TurnResult, UsedByTurn } from '../event.ts';
import type { Message } from '../../format/message.ts';
import type { MailState, Turn } from '../state.ts';
import { changeTurn, current, settle } from './turns.ts';
import { changeThread } from './work.ts';
import type { Session } from '../../../kernel/cost.ts';
import { ownValue } from '../../../kernel/own.ts';

type InvocationEvent = Extract<
  Happening<Message>,
  { type: 'launched' | 'assigned' | 'returned' | 'asked' | 'checked' | 'attempt-failed' | 'stopped' }
>;

function check(state: MailState, event: Extract<InvocationEvent, { type: 'checked' }>): boolean {
  const returned = current(state, event, 'returned');
  if (!returned) return false;
  const { problems, conflicts, left, met, reports = [] } = event;
  const { phase } = returned;
  changeTurn(state, returned.id, {
    left: left ?? returned.left,
    merges: returned.merges + (conflicts ? 1 : 0),
    phase: {
      ...phase,
      result: withReports(phase.result, reports),
      checks: problems,
      met,
      runs: phase.runs + 1,
    },
  });
  return true;
}

function withReports(result: TurnResult, reports: readonly string[]): TurnResult {
  return reports.length === 0
    ? result
    : { ...result, reports: [...new Set([...result.reports, ...reports])] };
}

/** Applies an event about one invocation of a turn; false if the turn has moved on to another. */
export function invocation(state: MailState, event: InvocationEvent): boolean {
  if (event.type === 'checked') return check(state, event);
  const running = current(state, event, 'active');
  if (!running) return false;
  const { since } = running.phase;
  switch (event.type) {
    case 'launched': {
      const { process, tree, entered } = event;
      changeTurn(state, running.id, {
        entered: running.entered ?? entered,
        phase: { ...running.phase, launched: process },
      });
      if (state.threads.get(running.thread)?.tree === null) changeThread(state, running.thread, { tree });
      return true;
    }
    case 'assigned':
      changeTurn(state, running.id, {
        host: event.worker?.host ?? null,
        phase: { ...running.phase, worker: event.worker },
      });
      return true;
    case 'returned':
      settle(state, running, event.result.usage, event.result.model);
      countSession(state, running, event.result.session);
      changeTurn(state, running.id, {
        phase: { is: 'returned', since, result: event.result, checks: null, met: [], runs: 0 },
      });
      return true;
    case 'asked':
      return ask(state, running, event);
    case 'attempt-failed': {
      const { class: errorClass, reason, until } = event;
      const limited = errorClass === 'RETRYABLE_RATE_LIMIT';
      settle(state, running, limited ? limitUsage(event.usage) : event.usage, null);
      countSession(state, running, event.session);
      if (reason.code === 'E_SESSION') forgetSession(state, running);
      changeTurn(state, running.id, {
        limits: running.limits + (limited ? 1 : 0),
        phase: { is: 'failed', class: errorClass, reason, until },
      });
      return true;
    }
    case 'stopped':
      changeTurn(state, running.id, { reserved: false, phase: { is: 'pending', notBefore: 0 } });
      return true;
    default:
      return event satisfies never;
  }
}

/** Settles an invocation that an event is about to end without its result. */
export function charge(state: MailState, { turn: id, usage, session }: UsedByTurn[number]): void {
  const turn = state.turns.get(id);
  if (turn?.phase.is !== 'active') return;
  settle(state, turn, usage, null);
  countSession(state, turn, session);
}

/** Its agent has ended, and waits for the decision of a person. */
function ask(state: MailState, running: Turn, event: Extract<InvocationEvent, { type: 'asked' }>): boolean {
  const { result, calls, person, until, notices } = event;
  settle(state, running, result.usage, result.model);
  countSession(state, running, result.session);
  const notice = notices[0]?.id ?? '';
  changeTurn(state, running.id, {
    lastResult: result,
    phase: { is: 'asking', since: state.now, calls, person, until, notice, answer: null },
  });
  return true;
}

/**
 * Charges the conversation's cost once, whatever becomes of the turn: the next turn that resumes it
 * counts from there.
 */
function countSession(
  state: MailState,
  { id, thread, role, lastResult }: Turn,
  session: Session | null,
): void {
  if (session === null) return;
  if (lastResult?.session?.id === session.id)
    changeTurn(state, id, { lastResult: { ...lastResult, session } });
  const sessions = state.threads.get(thread)?.sessions ?? {};
  const kept = ownValue(sessions, role);
  if (kept?.id === session.id)
    changeThread(state, thread, { sessions: { ...sessions, [role]: { ...kept, ...session } } });
}

/** A lost session is not resumed again, whatever becomes of this turn. */
function forgetSession(state: MailState, { thread, role }: Turn): void {
  const { [role]: gone, ...sessions } = state.threads.get(thread)?.sessions ?? {};
  if (gone) changeThread(state, thread, { sessions });
}
