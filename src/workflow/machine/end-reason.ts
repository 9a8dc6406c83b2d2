import { counted } from '../../kernel/enumerate.ts';
import { failedAt } from './final-status.ts';
import { entered, namedReason } from './scope.ts';
import type { RunState } from './state.ts';

/**
 * Why a run has ended, with the innermost step that failed: the reason of a loop names it already.
 * Of one that succeeded, which of its steps failed nevertheless. Null: there is no reason.
 */
export function endReason(state: RunState): string | null {
  const { reason, ending, status } = state;
  if (reason === null) return status === 'SUCCEEDED' ? failedNevertheless(state) : null;
  const failed = state.scopes.get('')?.failed ?? null;
  return namedReason(state, failedAt({ ending, failed }), reason.text);
}

/** A limit in the file of a workflow. */
export type Limit = 'timeout' | 'budget';

/** The limit that ended a run, and would end it again; null: none did. */
export function limitReached({ status, reason, ending }: RunState): Limit | null {
  if (status === 'TIMED_OUT' && ending?.why === 'timed-out') return 'timeout';
  return status === 'FAILED' && reason?.code === 'E_BUDGET' ? 'budget' : null;
}

/** The steps of a run's own body that failed, and after which it continued; null: none. */
function failedNevertheless(state: RunState): string | null {
  const root = state.scopes.get('');
  const failed = [...state.steps.values()].flatMap((run) => {
    const { scope, step, path, phase } = run;
    // In a sequence, an earlier visit of a step was followed by another one.
    const isLast = scope === '' && root !== undefined && entered(state, root, step) === run;
    return isLast && phase.is === 'settled' && phase.status === 'FAILED' ? [{ path, phase }] : [];
  });
  const [first] = failed;
  if (first === undefined) return null;
  const others = failed.length === 1 ? '' : ` and ${counted(failed.length - 1, 'other step')}`;
  return `${first.path}${others} failed: ${first.phase.reason?.text ?? ''}`;
}
