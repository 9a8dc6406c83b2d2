import type { Invocation } from './provider.ts';

/**
 * The environment of every agent: who it is (`MAILROOM_ROLE`), its turn (`MAILROOM_THREAD`,
 * `MAILROOM_TURN`, `MAILROOM_ATTEMPT` from 1, `MAILROOM_ROUND` from 0), where it works
 * (`MAILROOM_PROJECT`, `MAILROOM_WORKSPACE`), where to put mail (`MAILROOM_OUTBOX`) and its input
 * (`MAILROOM_MESSAGES`, absolute paths, one per line).
 */
export function variables(invocation: Invocation): Record<string, string> {
  return {
    MAILROOM_PROJECT: invocation.project,
    MAILROOM_WORKSPACE: invocation.workspace,
    MAILROOM_ROLE: invocation.role,
    MAILROOM_THREAD: invocation.thread,
    MAILROOM_TURN: invocation.turn,
    MAILROOM_ATTEMPT: String(invocation.attempt),
    MAILROOM_ROUND: String(invocation.round),
    MAILROOM_OUTBOX: invocation.paths.outbox,
    MAILROOM_MESSAGES: invocation.paths.messages.join('\n'),
  };
}

/**
 * A provider's switches, which the role can override, and the variables of the turn, which it
 * cannot.
 */
export function environment(
  invocation: Invocation,
  switches: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return { ...switches, ...invocation.env, ...variables(invocation) };
}
