import type { Json } from '../../../kernel/json.ts';
import { creditOf } from '../../../workflow/machine/credit.ts';
import type { Rules } from '../../../workflow/machine/rules.ts';
import type { RunState } from '../../../workflow/machine/state.ts';
import { tagOf, type EventTemplate } from '../letters/nostr-event.ts';
import type { ExecutionReport } from './documents.ts';
import { progressOf, runStatus } from './execution-events.ts';

/** What a report needs besides the state of a run. */
interface ReportFacts {
  /** The event that requests it; null: unknown. */
  readonly request: EventTemplate | null;
  /** The event that defines the workflow, with its outputs; null: unknown. */
  readonly definition: EventTemplate | null;
  /** Whether a process hosts it. */
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
    totalCost: state.cost.units ?? 0,
    remainingBudget: credit && credit.total - credit.spent,
    runtime: startedAt === null ? 0 : (endedAt ?? (alive ? Math.max(clock, now) : now)) - startedAt,
    message: isStopped
      ? `no process works on it; resume it with: mailroom resume ${run}`
      : (state.reason?.text ?? ''),
    unsentEvents,
  };
}

/** If several steps make the same output, the last one in the file that has done so counts. */
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

/** The outputs that a definition declares; null: it declares none. */
function declared(definition: EventTemplate | null): string[] | null {
  const tags = definition?.tags.filter(([name]) => name === 'output') ?? [];
  return tags.length === 0 ? null : tags.map(([, name = '']) => name);
}

/** The outputs of steps without dependents. */
function lastOutputs({ root }: Rules): string[] {
  const steps = [...root.steps.values()].map(({ step }) => step);
  const before = new Set(steps.flatMap(({ needs }) => needs.map(({ step }) => step)));
  return [...new Set(steps.flatMap(({ id, values }) => (before.has(id) ? [] : Object.keys(values))))];
}
