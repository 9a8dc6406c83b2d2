import type { Reason } from './errors.ts';

/**
 * Why something moves, waits or has ended. The closed set of codes; docs/troubleshooting.md
 * explains each.
 */
export const whyCodes = [
  'running',
  'checking',
  'due',
  'landing',
  'landing_queued',
  'landing_blocked',
  'host_not_running',
  'host_problem',
  'protocol_changed',
  'not_accepted',
  'no_mail',
  'paused',
  'inbox_missing',
  'usage_limit',
  'backoff',
  'concurrency',
  'slots_taken',
  'workspace',
  'budget',
  'day_budget',
  'turn_open',
  'last_turn',
  'conflict',
  'waiting_for_worker',
  'worker_silent',
  'queued',
  'blocked_by_request',
  'answers_incomplete',
  'join_incomplete',
  'waiting_for_answer',
  'waiting_for_user',
  'unread',
  'role_removed',
  'waiting_for_approval',
  'other_run',
  'no_event',
  'cooldown',
  'not_active',
  'needs',
  'ending',
  'handled',
  'withdrawn',
  'quiet',
  'closed',
  'succeeded',
  'skipped',
  'login_missing',
  'failed',
  'cancelled',
] as const;

export type WhyCode = (typeof whyCodes)[number];

/**
 * Why something does not move, or that it does: the first rule that holds it. `Act` is what a
 * person can do about it.
 */
export interface Why<Act> {
  readonly code: WhyCode;
  /** One sentence, without its full stop. It names no times: they are in `cause` and `until`. */
  readonly reason: string;
  /** The record that caused it, and when, in milliseconds since 1970; null: no single one. */
  readonly cause: { readonly record: string; readonly at: number } | null;
  /** When it ends on its own, in milliseconds since 1970; null: it does not, or that is unknown. */
  readonly until: number | null;
  /** Null: nothing needs to be done, or nothing can be. */
  readonly act: Act | null;
}

/** Work that waits until this machine can do it: a turn, or a step by its path, and the reason. */
export interface HeldWork {
  readonly work: string;
  readonly problem: string;
}

/** By turn, or by the path of a step. */
export type HeldReasons = ReadonlyMap<string, string>;

export function heldReasons(held: readonly HeldWork[]): HeldReasons {
  return new Map(held.map(({ work, problem }) => [work, problem]));
}

/** Agents of others that take slots of the same process, and the record of one of them. */
export interface OtherAgents {
  readonly agents: number;
  /** Null: it is not known. */
  readonly first: Why<never>['cause'];
}

export const noAgents: OtherAgents = { agents: 0, first: null };

/** An explanation; what `rest` leaves out is null. */
export function because<Act>(
  code: WhyCode,
  reason: string,
  rest: Partial<Pick<Why<Act>, 'cause' | 'until' | 'act'>> = {},
): Why<Act> {
  return { code, reason, cause: null, until: null, act: null, ...rest };
}

/** The code of a failure with this reason. */
export function failureCode(reason: Reason | null): 'login_missing' | 'failed' {
  return reason?.code === 'E_LOGIN' ? 'login_missing' : 'failed';
}

/** The explanation of something that the next look moves. */
export function due<Act>(reason: string): Why<Act> {
  return because('due', reason);
}

/** The explanation of something that waits for another thing, which has its own. */
export function through<Act>(code: WhyCode, reason: string, inner: Why<Act> | null): Why<Act> {
  if (inner === null) return because(code, reason);
  return { ...inner, code, reason: `${reason}; ${inner.reason}` };
}
