import type { Workflow } from '../model.ts';
import type { RunState } from '../machine/state.ts';
import { entered } from '../machine/scope.ts';
import { isoOrNull } from '../../kernel/times.ts';
import type { RunCard } from '../../letters/letters.ts';
import type { RunSummary } from '../../documents/runs.ts';

export function runSummary(
  state: RunState,
  workflow: Workflow,
  alive: boolean,
  { startedBy, person }: Pick<RunCard, 'startedBy' | 'person'>,
): RunSummary {
  const { given, status, reason, startedAt, endedAt, cost } = state;
  const { name, version, language } = workflow;
  return {
    schema: 1,
    run: given?.run ?? '',
    workflow: name,
    version,
    language,
    started_by: startedBy,
    person,
    status,
    alive,
    reason: reason?.text ?? null,
    started_at: isoOrNull(startedAt),
    completed_at: isoOrNull(endedAt),
    cost,
    progress: progressOf(state, workflow),
    current: [...state.active],
  };
}

/** Settled steps of its own body, of all. */
export function progressOf(state: RunState, { body }: Workflow): RunSummary['progress'] {
  const root = state.scopes.get('');
  const isSettled = (id: string) => root !== undefined && entered(state, root, id)?.phase.is === 'settled';
  return { completed: body.steps.filter(({ id }) => isSettled(id)).length, total: body.steps.length };
}
