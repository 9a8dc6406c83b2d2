import type { Cost } from '../../kernel/cost.ts';
import type { Workflow } from '../../workflow/model.ts';
import type { RunState } from '../../workflow/machine/state.ts';
import type { RunStatus } from '../../workflow/machine/status.ts';
import { isoOrNull } from '../../kernel/times.ts';

/** A run as `runs` lists it: the document of `show`, without its steps. */
export interface RunSummary {
  readonly schema: 1;
  readonly run: string;
  readonly workflow: string;
  readonly language: string;
  readonly status: RunStatus;
  /** Whether a process hosts it now. */
  readonly alive: boolean;
  readonly reason: string | null;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly cost: Cost;
}

export function runSummary(state: RunState, { name, language }: Workflow, alive: boolean): RunSummary {
  const { given, status, reason, startedAt, endedAt, cost } = state;
  return {
    schema: 1,
    run: given?.run ?? '',
    workflow: name,
    language,
    status,
    alive,
    reason: reason?.text ?? null,
    started_at: isoOrNull(startedAt),
    completed_at: isoOrNull(endedAt),
    cost,
  };
}
