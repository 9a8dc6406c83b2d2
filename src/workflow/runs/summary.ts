import type { Workflow } from '../model.ts';
import type { RunState } from '../machine/state.ts';
import { endReason } from '../machine/end-reason.ts';
import { entered } from '../machine/scope.ts';
import { isoOrNull } from '../../kernel/times.ts';
import type { Rules } from '../machine/rules.ts';
import { standingOfRun } from '../../documents/standing.ts';
import type { RunCard, RunControlFile } from '../../letters/letters.ts';
import { activeIn, answerTo } from './run-status.ts';
import type { RunSummary } from '../../documents/runs.ts';

/** What a summary needs besides the state of the run. */
export interface RunHosting {
  /** Whether a process hosts it. */
  readonly alive: boolean;
  /** Commands that its process has not read. */
  readonly pending: readonly RunControlFile[];
}

type FromJournal = Omit<RunSummary, 'schema' | 'started_by' | 'person' | 'standing' | 'alive'>;

/** What lists show of a run, by its journal and definition alone. Keeps nothing of the state. */
export interface RunRow {
  readonly shown: FromJournal;
  /** Milliseconds since 1970; null: it has not ended. */
  readonly endedAt: number | null;
  /** The active steps, without gates. */
  readonly steps: readonly string[];
  readonly paused: RunState['paused'];
  readonly bills: RunState['bills'];
}

export function runRow(state: RunState, rules: Rules): RunRow {
  const { given, status, startedAt, endedAt, cost, paused, bills } = state;
  const { name, version, language, display } = rules.workflow;
  const run = given?.run ?? '';
  const { steps, gates } = activeIn(state, rules, run, []);
  const shown = {
    run,
    workflow: name,
    title: display?.title ?? null,
    version,
    language,
    status,
    reason: endReason(state),
    started_at: isoOrNull(startedAt),
    completed_at: isoOrNull(endedAt),
    cost,
    progress: progressOf(state, rules.workflow),
    current: [...state.active],
    gates: [...gates],
  };
  return { shown, endedAt, steps, paused, bills: new Map(bills) };
}

export function runSummary(
  { shown, steps, paused }: RunRow,
  { alive, pending }: RunHosting,
  { startedBy, person }: Pick<RunCard, 'startedBy' | 'person'>,
): RunSummary {
  const { status } = shown;
  const gates = shown.gates.map((each) => ({ ...each, recorded: answerTo(each.gate, pending) }));
  const standing = standingOfRun({ status, alive, steps, gates, paused });
  return { schema: 1, ...shown, gates, started_by: startedBy, person, standing, alive };
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
