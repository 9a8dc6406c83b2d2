import type { Ending, Failure, StepPath } from './event.ts';
import type { RunStatus } from './status.ts';
import type { Reason } from '../../kernel/errors.ts';

/** The state of a run, or of a body in it, once all steps are settled. */
export interface SettledScope {
  readonly ending: Ending | null;
  /**
   * A failure after which it continued: a policy that skips dependents, or a gate that was not
   * approved.
   */
  readonly failed: Failure | null;
  /** A sequence that ended in failure. */
  readonly ended: Omit<Failure, 'path'> | null;
}

type Final = {
  readonly status: Exclude<RunStatus, 'PENDING' | 'RUNNING'>;
  readonly reason: Reason | null;
};

/**
 * The status of a run whose steps are all settled. TIMED_OUT and CANCELLED by an ending of that
 * kind; TIMED_OUT when a sequence ended by an unhandled timeout; FAILED when a failure aborted it
 * or skipped its dependents, a gate was not approved, or a sequence ended in failure; else
 * SUCCEEDED, whatever the results of single steps.
 */
export function finalStatus({ ending, failed, ended }: SettledScope): Final {
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

/** How a body failed, for the step that owns it; null: it did not fail. */
export function failureOf(through: SettledScope, path: string): Failure | null {
  const { status, reason } = finalStatus(through);
  if (status === 'SUCCEEDED' || reason === null) return null;
  const { ending, failed, ended } = through;
  if (ending?.why === 'aborted') return { path: ending.path, class: ending.class, reason };
  return { path: failed?.path ?? path, class: (failed ?? ended)?.class ?? 'NON_RETRYABLE', reason };
}

/** The step that ended a body, or failed in it; empty: no single one. */
export function failedAt({ ending, failed }: Pick<SettledScope, 'ending' | 'failed'>): StepPath {
  if (ending === null) return failed?.path ?? '';
  return ending.why === 'aborted' ? ending.path : '';
}
