import { reportedUsage } from '../../host/reported-usage.ts';
import type { ThreadId } from '../../kernel/ids.ts';
import type { Reported, Session } from '../../kernel/cost.ts';
import { isQueued } from '../../kernel/launched.ts';
import { ownValue } from '../../kernel/own.ts';
import type { Invocation } from '../../providers/provider.ts';
import type { Role } from '../format/protocol.ts';
import type { Command, Fact, UsedByTurn } from '../machine/event.ts';
import { lineage } from '../machine/fold/work.ts';
import type { MailState, Turn } from '../machine/state.ts';
import type { MailOptions, MailPorts } from './ports.ts';
import { placeOf } from './workspaces.ts';

/** The attempts that ran when the last host ended, as failed, with the usage that they reported. */
export function interruptedAttempts(
  state: MailState,
  ports: MailPorts,
  options: MailOptions,
  now: number,
): Extract<Fact, { type: 'attempt-failed' }>[] {
  return [...state.turns.values()].flatMap((turn) => {
    const { id, attempt, round } = turn;
    if (!isRunning(turn)) return [];
    return {
      type: 'attempt-failed',
      turn: id,
      attempt,
      round,
      class: 'RETRYABLE_TRANSIENT',
      reason: { code: 'E_TURN', text: 'the controller ended while the turn ran' },
      until: null,
      usage: reportedBy(state, turn, ports, options, now).usage,
      session: null,
    } as const;
  });
}

/** What the agents of this host have reported that an event ends. `state`: before the event. */
export function usedByTurns(
  fact: Fact,
  state: MailState,
  ports: MailPorts,
  options: MailOptions,
  now: number,
): UsedByTurn {
  const isEnded = endedBy(fact, state);
  if (isEnded === null) return [];
  return [...state.turns.values()].flatMap((turn) => {
    if (!isRunning(turn) || !isEnded(turn)) return [];
    return { turn: turn.id, ...reportedBy(state, turn, ports, options, now) };
  });
}

/** Which turns an event ends without their results; null: none. */
function endedBy(fact: Fact, state: MailState): ((turn: Turn) => boolean) | null {
  const isBelow = (thread: ThreadId) => (turn: Turn) =>
    lineage(state, turn.thread).some(({ id }) => id === thread);
  switch (fact.type) {
    case 'stopped':
    case 'abandoned':
      return ({ id }) => id === fact.turn;
    case 'thread-failed':
      return isBelow(fact.thread);
    case 'accepted': {
      const { closes, message } = fact.sent;
      return closes ? (turn) => turn.thread !== message.thread && isBelow(message.thread)(turn) : null;
    }
    case 'committed': {
      const thread = state.turns.get(fact.turn)?.thread ?? '';
      const isClosed = fact.sent.some(({ closes }) => closes);
      return isClosed ? (turn) => turn.thread !== thread && isBelow(thread)(turn) : null;
    }
    case 'controlled':
      return fact.refusal === null ? endedByCommand(fact.command, isBelow) : null;
    default:
      return null;
  }
}

function endedByCommand(
  command: Command,
  isBelow: (thread: ThreadId) => (turn: Turn) => boolean,
): ((turn: Turn) => boolean) | null {
  const isCancel = command.verb === 'cancel';
  if (!isCancel && !(command.verb === 'pause' && command.now)) return null;
  const { target } = command;
  if (target.kind === 'turn') return isCancel ? ({ id }) => id === target.turn : null;
  if (target.kind === 'thread') return isBelow(target.thread);
  // Neither a role nor the whole project can be cancelled.
  if (isCancel) return null;
  return target.kind === 'all' ? () => true : ({ role }) => role === target.role;
}

/** Whether an agent of this host works on it. */
function isRunning({ phase }: Turn): boolean {
  return phase.is === 'active' && phase.launched !== null && !isQueued(phase.launched);
}

/** What the agent of a turn has reported so far. */
function reportedBy(
  state: MailState,
  turn: Turn,
  ports: MailPorts,
  { protocol }: MailOptions,
  now: number,
): Reported {
  const { folders, project, providers } = ports;
  const provider = providers.get(turn.provider);
  const resumable = provider?.sessions === true ? turn.provider : null;
  const printed = () => folders.printed(turn.id, turn.attempt, turn.round);
  const invocation = () => {
    const role = protocol.roles.get(turn.role);
    const { workspace } = placeOf(state, protocol, project, turn);
    return role === undefined
      ? null
      : invocationOf(turn, role, {
          project,
          workspace,
          session: resumedSession(state, turn, role, resumable),
        });
  };
  return reportedUsage(provider, printed, invocation, now);
}

/** An invocation whose output is read, so that no path matters. */
function invocationOf(
  turn: Turn,
  role: Role,
  place: Pick<Invocation, 'project' | 'workspace' | 'session'>,
): Invocation {
  return {
    ...place,
    role: role.name,
    thread: turn.thread,
    turn: turn.id,
    attempt: turn.attempt,
    round: turn.round,
    prompt: '',
    capabilities: role.capabilities,
    owed: [],
    network: role.network,
    maxSteps: null,
    maxCommandTime: null,
    model: turn.provider === role.provider ? role.model : null,
    variant: null,
    budget: role.budget,
    paths: { folder: '', prompt: '', outbox: '', messages: [], stdout: '', stderr: '' },
    tools: null,
    mcp: null,
    mayConfigure: false,
    asking: null,
    env: {},
  };
}

/** The conversation of the round or thread to resume. `provider` null: it cannot be resumed. */
export function resumedSession(
  state: MailState,
  turn: Turn,
  role: Role,
  provider: string | null,
): Session | null {
  if (provider === null) return null;
  if (turn.round > 0) return turn.lastResult?.session ?? null;
  // The failed attempt may be caused by that conversation.
  if (role.session !== 'thread' || turn.failures > 0) return null;
  const kept = ownValue(state.threads.get(turn.thread)?.sessions, turn.role);
  return kept?.provider === provider ? kept : null;
}
