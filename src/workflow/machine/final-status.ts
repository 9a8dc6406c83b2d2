import type { Ending, Failure } from './event.ts';
import type { RunStatus } from './status.ts';
import type { Reason } from '../../kernel/errors.ts';

/** What is known of a run, or of a body in it, when all its steps are settled. */
export interface Through {
  readonly ending: Ending | null;
  /** A failure after which it went on: a policy that skips dependents, or a gate that was not opened. */
  readonly failed: Failure | null;
  /** A sequence that ended in failure. */
  readonly ended: Omit<Failure, 'path'> | null;
}

export type Final = {
  readonly status: Exclude<RunStatus, 'PENDING' | 'RUNNING'>;
  readonly reason: Reason | null;
};

/**
 * The status of a run whose steps are all settled: TIMED_OUT and CANCELLED as they say, and TIMED_OUT when a sequence ended
 * by a timeout for which it has no other way; FAILED when a failure aborted it, when one skipped its dependents, when a
 * gate was not opened, or when a sequence ended so; else SUCCEEDED, whatever single steps came to.
 */
export function finalStatus({ ending, failed, ended }: Through): Final {
  switch (ending?.why) {
    case 'timed-out':
      return { status: 'TIMED_OUT', reason: { code: 'E_TIMEOUT', text: 'the time of the run is over' } };
    case 'cancelled':
      return { status: 'CANCELLED', reason: { code: 'E_CANCELLED', text: `cancelled by ${ending.by}` } };
    case 'aborted':
      return { status: 'FAILED', reason: ending.reason };
    case undefined: {
      const failure = failed ?? ended;
      if (failure === null) return { status: 'SUCCEEDED', reason: null };
      const timedOut = failed === null && failure.reason.code === 'E_TIMEOUT';
      return { status: timedOut ? 'TIMED_OUT' : 'FAILED', reason: failure.reason };
    }
  }
}

/** How a body left, for the step that it belongs to; null: it did not fail. */
export function failureOf(through: Through, path: string): Failure | null {
  const { status, reason } = finalStatus(through);
  if (status === 'SUCCEEDED' || reason === null) return null;
  const { ending, failed, ended } = through;
  if (ending?.why === 'aborted') return { path: ending.path, class: ending.class, reason };
  return { path: failed?.path ?? path, class: (failed ?? ended)?.class ?? 'NON_RETRYABLE', reason };
}
