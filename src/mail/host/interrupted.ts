import { orElse } from '../../kernel/contained.ts';
import type { Session, Usage } from '../../kernel/cost.ts';
import { isQueued } from '../../kernel/launched.ts';
import type { Exit, Invocation } from '../../providers/provider.ts';
import type { Role } from '../format/protocol.ts';
import type { Fact } from '../machine/event.ts';
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
    const { id, attempt, round, phase } = turn;
    if (phase.is !== 'active' || phase.launched === null || isQueued(phase.launched)) return [];
    return {
      type: 'attempt-failed',
      turn: id,
      attempt,
      round,
      class: 'RETRYABLE_TRANSIENT',
      reason: { code: 'E_TURN', text: 'the controller ended while the turn ran' },
      until: null,
      usage: orElse(() => reportedUsage(state, turn, ports, options, now), unknown),
      session: null,
    } as const;
  });
}

const unknown: Usage = { usd: null, tokens: null };

/** The usage in the output on the disk, as if the program had been stopped after it. */
function reportedUsage(
  state: MailState,
  turn: Turn,
  ports: MailPorts,
  { protocol }: MailOptions,
  now: number,
): Usage {
  const role = protocol.roles.get(turn.role);
  const provider = ports.providers.get(turn.provider);
  const stdout = ports.folders.printed(turn.id, turn.attempt, turn.round);
  if (role === undefined || provider === undefined || stdout === '') return unknown;
  const session = resumedSession(state, turn, role, provider.sessions ? turn.provider : null);
  const invocation: Invocation = {
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
    workspace: placeOf(state, protocol, ports.project, turn).workspace,
    project: ports.project,
    session,
    budget: role.budget,
    paths: { folder: '', prompt: '', outbox: '', messages: [], stdout: '', stderr: '' },
    tools: null,
    mcp: null,
    mayConfigure: false,
    asking: null,
    env: {},
  };
  return provider.read({ ...killed, stdout }, invocation, now).usage;
}

const killed: Exit = {
  code: null,
  signal: 'SIGKILL',
  ended: 'stopped',
  error: null,
  stdout: '',
  stderr: '',
  durationMs: 0,
  edits: null,
};

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
  const kept = state.threads.get(turn.thread)?.sessions[turn.role];
  return kept?.provider === provider ? kept : null;
}
