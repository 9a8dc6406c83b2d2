import type { Json } from '../json.ts';
import { isIn } from '../workflow/fold/steps.ts';
import { purseOf } from '../workflow/msats.ts';
import type { Rules } from '../workflow/rules.ts';
import type { RunState } from '../workflow/state.ts';
import { statusOf } from '../workflow/view.ts';
import { tagOf, type EventTemplate } from './events.ts';
import { runStatus } from './telling.ts';

/** How a run stands, in the words of the language. Amounts are in thousandths of a satoshi, times in milliseconds. */
export interface ExecutionReport {
  readonly executionId: string;
  /** The id of its workflow: the tag `d`. */
  readonly workflowId: string;
  readonly status: ReturnType<typeof runStatus>;
  /** By name: what the workflow has given so far. */
  readonly outputs: Readonly<Record<string, Json>>;
  readonly stepsCompleted: number;
  /** As status events have it: steps that are over, however they ended, of all. */
  readonly progress: { readonly completed: number; readonly total: number };
  readonly currentStep: string | null;
  readonly totalCost: number;
  /** Null: it has no budget. */
  readonly remainingBudget: number | null;
  readonly runtime: number;
  /** Why it did not complete; empty: there is nothing to say. */
  readonly message: string;
}

/** `definition`: the event that defines the workflow, which says what it gives. */
export function reportOf(state: RunState, rules: Rules, definition: EventTemplate | null): ExecutionReport {
  const all = [...rules.root.steps.values()];
  const runs = all.map(({ at }) => state.steps.get(at));
  const purse = purseOf(state);
  const { startedAt, endedAt, now } = state;
  return {
    executionId: state.given?.run ?? '',
    workflowId: (definition && tagOf(definition, 'd')) ?? rules.workflow.name,
    status: runStatus(state),
    outputs: outputsOf(state, rules, definition),
    stepsCompleted: all.filter(({ at }) => statusOf(state, at) === 'SUCCEEDED').length,
    progress: { completed: runs.filter((run) => isIn(run, 'settled')).length, total: all.length },
    currentStep: runs.find((run) => isIn(run, 'running'))?.step ?? null,
    totalCost: state.cost.msats ?? 0,
    remainingBudget: purse && purse.total - purse.spent,
    runtime: startedAt === null ? 0 : (endedAt ?? now) - startedAt,
    message: state.reason?.text ?? '',
  };
}

/** Of several steps that make the same, the last in the file that has done so. */
function outputsOf(
  state: RunState,
  rules: Rules,
  definition: EventTemplate | null,
): Readonly<Record<string, Json>> {
  const made = new Map<string, Json>();
  for (const { at } of rules.root.steps.values())
    for (const [name, value] of Object.entries(state.steps.get(at)?.values ?? {})) made.set(name, value);
  const names = declared(definition) ?? lastOutputs(rules);
  return Object.fromEntries(names.flatMap((name) => (made.has(name) ? [[name, made.get(name)!]] : [])));
}

/** What a definition says that it gives; null: it does not say. */
function declared(definition: EventTemplate | null): string[] | null {
  const tags = definition?.tags.filter(([name]) => name === 'output') ?? [];
  return tags.length === 0 ? null : tags.map(([, name = '']) => name);
}

/** What steps make that nothing comes after. */
function lastOutputs({ root }: Rules): string[] {
  const steps = [...root.steps.values()].map(({ step }) => step);
  const before = new Set(steps.flatMap(({ needs }) => needs.map(({ step }) => step)));
  return [...new Set(steps.flatMap(({ id, values }) => (before.has(id) ? [] : Object.keys(values))))];
}
