import type { Workflow } from '../model.ts';
import type { Rules } from './rules.ts';
import type { RunState } from './state.ts';

/**
 * Whether a failure may roll back the changes of a run, so that its workspace must be recorded
 * first.
 */
export function mayRollBack({ body }: Workflow): boolean {
  return body.steps.some(({ onFailure }) => onFailure === 'rollback');
}

/**
 * The git object to restore the workspace to, for a run that ended by a step with rollback that is
 * not done; null: no rollback is due.
 */
export function dueRollback(state: RunState, { root }: Rules): string | null {
  const { given, endedAt, status, ending, rollback } = state;
  if (given === null || given.checkpoint === null || endedAt === null || status !== 'FAILED') return null;
  // A rollback that has begun is finished, even if an edited definition drops it: the workspace is
  // half restored.
  if (rollback?.over === false) return given.checkpoint;
  if (rollback !== null || ending?.why !== 'aborted') return null;
  return root.steps.get(ending.path)?.step.onFailure === 'rollback' ? given.checkpoint : null;
}

/** The problems of a rollback. */
export function rollbackWarnings({ rollback }: RunState): string[] {
  if (rollback?.over === false)
    return ['its rollback is not finished; `mailroom resume` does so where its host is gone'];
  return rollback?.problem == null ? [] : [`it is not rolled back: ${rollback.problem}`];
}
