import type { Cost } from '../../kernel/cost.ts';
import type { Workflow } from '../../workflow/model.ts';
import type { RunState } from '../../workflow/machine/state.ts';
import { entered } from '../../workflow/machine/scope.ts';
import type { RunStatus } from '../../workflow/machine/status.ts';
import { isoOrNull } from '../../kernel/times.ts';
import type { RunCard } from '../../letters/letters.ts';

/** A run as `runs` lists it: the document of `show`, without its steps. */
export interface RunSummary {
  readonly schema: 1;
  readonly run: string;
  readonly workflow: string;
  readonly version: string;
  readonly language: string;
  readonly started_by: 'person' | 'up';
  /** Who started it; null: unknown, or `up`. */
  readonly person: string | null;
  readonly status: RunStatus;
  /** Whether a process hosts it now. */
  readonly alive: boolean;
  readonly reason: string | null;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly cost: Cost;
  /** Settled steps of its own body, of all. */
  readonly progress: { readonly completed: number; readonly total: number };
  /** Steps in progress, and approvals that wait. */
  readonly current: readonly string[];
}

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
