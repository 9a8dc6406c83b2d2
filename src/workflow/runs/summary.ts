import type { Workflow } from '../model.ts';
import type { RunState } from '../machine/state.ts';
import { entered } from '../machine/scope.ts';
import { isoOrNull } from '../../kernel/times.ts';
import { compile } from '../machine/rules.ts';
import { standingOfRun } from '../../documents/standing.ts';
import type { RunCard, RunControlFile } from '../../letters/letters.ts';
import { activeIn } from './run-status.ts';
import type { RunSummary } from '../../documents/runs.ts';

/** What a summary needs besides the state of the run. */
export interface RunHosting {
  /** Whether a process hosts it. */
  readonly alive: boolean;
  /** Commands that its process has not read. */
  readonly pending: readonly RunControlFile[];
}

export function runSummary(
  state: RunState,
  workflow: Workflow,
  { alive, pending }: RunHosting,
  { startedBy, person }: Pick<RunCard, 'startedBy' | 'person'>,
): RunSummary {
  const { given, status, reason, startedAt, endedAt, cost, paused } = state;
  const { name, version, language } = workflow;
  const { steps, gates } = activeIn(state, compile(workflow), given?.run ?? '', pending);
  return {
    schema: 1,
    run: given?.run ?? '',
    workflow: name,
    version,
    language,
    started_by: startedBy,
    person,
    status,
    standing: standingOfRun({ status, alive, steps, gates, paused }),
    alive,
    reason: reason?.text ?? null,
    started_at: isoOrNull(startedAt),
    completed_at: isoOrNull(endedAt),
    cost,
    progress: progressOf(state, workflow),
    current: [...state.active],
    gates: [...gates],
  };
}

/** The steps of its own body that succeeded, of all. */
export function progressOf(state: RunState, { body }: Workflow): RunSummary['progress'] {
  const root = state.scopes.get('');
  const isDone = (id: string) => {
    const phase = root && entered(state, root, id)?.phase;
    return phase?.is === 'settled' && phase.status === 'SUCCEEDED';
  };
  return { completed: body.steps.filter(({ id }) => isDone(id)).length, total: body.steps.length };
}
