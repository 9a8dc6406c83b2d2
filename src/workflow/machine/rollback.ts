import type { Workflow } from '../model.ts';
import type { Rules } from './rules.ts';
import type { RunState } from './state.ts';

/** Whether a failure of the workflow may undo what its run has changed: what lies in its workspace must be known before. */
export function mayRollBack({ body }: Workflow): boolean {
  return body.steps.some(({ onFailure }) => onFailure === 'rollback');
}

/**
 * What the workspace is to be put back to, as git names it, where a run has ended by a step that undoes it, and that is
 * not done; null: nothing is to be undone.
 */
export function dueRollback(state: RunState, { root }: Rules): string | null {
  const { given, endedAt, status, ending, rollback } = state;
  if (given === null || given.checkpoint === null || endedAt === null || status !== 'FAILED') return null;
  // One that has begun is finished, whatever an edited definition says since: half of it is in the workspace.
  if (rollback?.over === false) return given.checkpoint;
  if (rollback !== null || ending?.why !== 'aborted') return null;
  return root.steps.get(ending.path)?.step.onFailure === 'rollback' ? given.checkpoint : null;
}

/** What came of it, in words, where something did not go well. */
export function rollbackWarnings({ rollback }: RunState): string[] {
  if (rollback?.over === false)
    return ['its rollback is not finished; `mailroom resume` does so where its host is gone'];
  return rollback?.problem == null ? [] : [`it is not rolled back: ${rollback.problem}`];
}
