import type { Json } from '../kernel/json.ts';
import { creditOf } from '../workflow/machine/msats.ts';
import type { Rules } from '../workflow/machine/rules.ts';
import type { RunState } from '../workflow/machine/state.ts';
import { tagOf, type EventTemplate } from '../letters/nostr-event.ts';
import { progressOf, runStatus } from './telling.ts';

/** How a run stands, in the words of the language. Amounts are in thousandths of a satoshi, times in milliseconds. */
export interface ExecutionReport {
  /** What its request calls it: the tag `d`. Of a run that this project has asked for it is the id of the run. */
  readonly executionId: string;
  /** Its id in this project. */
  readonly run: string;
  /** The id of its workflow: the tag `d`. */
  readonly workflowId: string;
  /** `stopped`: it is not over, and no process works on it. */
  readonly status: ReturnType<typeof runStatus> | 'stopped';
  /** By name: what the workflow has given so far. */
  readonly outputs: Readonly<Record<string, Json>>;
  readonly stepsCompleted: number;
  /** As status events have it: steps that have completed, of all. */
  readonly progress: { readonly completed: number; readonly total: number };
  readonly currentStep: string | null;
  readonly totalCost: number;
  /** Null: it has no budget. */
  readonly remainingBudget: number | null;
  /** Since it began, until it ended, or until the last thing that is known of it. */
  readonly runtime: number;
  /** Why it did not complete, or how to resume it; empty: there is nothing to say. */
  readonly message: string;
  /** Events of it that some relay of the project has not answered yet. */
  readonly unsentEvents: number;
}

/** What the state of a run does not say. */
export interface ReportFacts {
  /** The event that asks for it; null: it is not known. */
  readonly request: EventTemplate | null;
  /** The event that defines the workflow, which says what it gives; null: it is not known. */
  readonly definition: EventTemplate | null;
  /** Whether a process works on it. */
  readonly alive: boolean;
  readonly unsentEvents: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export function reportOf(state: RunState, rules: Rules, facts: ReportFacts): ExecutionReport {
  const { request, definition, alive, unsentEvents, at: clock } = facts;
  const credit = creditOf(state);
  const { startedAt, endedAt, now } = state;
  const isStopped = endedAt === null && !alive;
  const run = state.given?.run ?? '';
  const { completed, total, current } = progressOf(state, rules);
  return {
    executionId: (request && tagOf(request, 'd')) ?? run,
    run,
    workflowId: (definition && tagOf(definition, 'd')) ?? rules.workflow.name,
    status: isStopped ? 'stopped' : runStatus(state),
    outputs: outputsOf(state, rules, definition),
    stepsCompleted: completed,
    progress: { completed, total },
    currentStep: isStopped ? null : current,
    totalCost: state.cost.msats ?? 0,
    remainingBudget: credit && credit.total - credit.spent,
    runtime: startedAt === null ? 0 : (endedAt ?? (alive ? Math.max(clock, now) : now)) - startedAt,
    message: isStopped
      ? `no process works on it; resume it with: mailroom resume ${run}`
      : (state.reason?.text ?? ''),
    unsentEvents,
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
