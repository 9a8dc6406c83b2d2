import type { Json } from '../../../kernel/json.ts';
import { ownValue } from '../../../kernel/own.ts';
import { isIn } from '../../../workflow/machine/fold/steps.ts';
import type { Rules, StepRule } from '../../../workflow/machine/rules.ts';
import type { RunState, StepRun } from '../../../workflow/machine/state.ts';
import { reasonOf, statusOf } from '../../../workflow/machine/view.ts';
import { isSame, kinds, tagOf, type EventTemplate, type NostrEvent } from '../letters/nostr-event.ts';

/** What all events of a run refer to. */
export interface Execution {
  /** The id of the run. */
  readonly id: string;
  readonly request: NostrEvent;
}

interface RequestOptions {
  readonly definition: NostrEvent;
  readonly execution: string;
  readonly inputs: Readonly<Record<string, Json>>;
  /** Null: unlimited. */
  readonly msats: number | null;
  /** Milliseconds; null: unlimited. */
  readonly timeout: number | null;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The request for a run of a definition. */
export function requestEvent({
  definition,
  execution,
  inputs,
  msats,
  timeout,
  at,
}: RequestOptions): EventTemplate {
  return {
    kind: kinds.request,
    created_at: seconds(at),
    tags: [
      ['e', definition.id, '', 'workflow'],
      ['d', execution],
      ...(msats === null ? [] : [['bid', String(msats)]]),
      ...(timeout === null ? [] : [['timeout', String(seconds(timeout))]]),
      ...Object.entries(inputs).map(([name, value]) => ['input', name, JSON.stringify(value)]),
    ],
    content: '',
  };
}

/** The unpublished events of a run: a result for every settled step, and its status. */
export function unpublished(
  state: RunState,
  rules: Rules,
  execution: Execution,
  published: readonly EventTemplate[],
): EventTemplate[] {
  const results = [...rules.root.steps.values()].flatMap((rule): EventTemplate[] => {
    const run = state.steps.get(rule.at);
    return isIn(run, 'settled') ? [resultEvent(rule, run, state, execution)] : [];
  });
  const last = published.findLast(({ kind }) => kind === kinds.status);
  const status = statusEvent(state, rules, execution);
  return [
    ...results.filter((result) => !published.some((each) => says(each, result))),
    ...(last !== undefined && JSON.stringify(last.tags) === JSON.stringify(status.tags) ? [] : [status]),
  ];
}

/** Whether an event reports a result; a step that ran again has another one, with a later time. */
function says(event: EventTemplate, result: EventTemplate): boolean {
  return isSame(event, result) && event.created_at >= result.created_at;
}

const stepStatus = {
  SUCCEEDED: 'completed',
  INCOMPLETE: 'completed',
  FAILED: 'failed',
  SKIPPED: 'skipped',
  CANCELLED: 'cancelled',
} as const;

function resultEvent(
  { step, at }: StepRule,
  run: StepRun,
  state: RunState,
  { id, request }: Execution,
): EventTemplate {
  const [output = ''] = Object.keys(step.values);
  const status = statusOf(state, at);
  const value = ownValue(run.values as Readonly<Record<string, Json>>, output);
  const runtime = run.startedAt === null ? 0 : (run.settledAt ?? state.now) - run.startedAt;
  return {
    kind: kinds.result,
    created_at: seconds(run.settledAt ?? state.now),
    tags: [
      ['e', request.id, '', 'execution'],
      ['d', id],
      ['step', step.id],
      ['output', output],
      ['status', stepStatus[status as keyof typeof stepStatus]],
      ['cost', String(run.cost.units ?? 0)],
      ['runtime', String(runtime)],
      ['p', request.pubkey],
    ],
    content:
      typeof value === 'string' ? value : value === undefined ? (reasonOf(run) ?? '') : JSON.stringify(value),
  };
}

function statusEvent(state: RunState, rules: Rules, { id, request }: Execution): EventTemplate {
  const { completed, total, current } = progressOf(state, rules);
  return {
    kind: kinds.status,
    created_at: seconds(state.now),
    tags: [
      ['e', request.id, '', 'execution'],
      ['d', id],
      ['status', runStatus(state)],
      ['progress', String(completed), String(total)],
      ['cost', String(state.cost.units ?? 0)],
      ...(current === null ? [] : [['step', current]]),
      ['p', request.pubkey],
    ],
    content: state.reason?.text ?? '',
  };
}

/** The progress of a run. */
interface StepProgress {
  /** Steps that have completed. */
  readonly completed: number;
  /** Those and the ones that failed, were skipped or cancelled. */
  readonly settled: number;
  readonly total: number;
  /** The first running step in the order of the file; null: none. */
  readonly current: string | null;
}

export function progressOf(state: RunState, rules: Rules): StepProgress {
  const all = [...rules.root.steps.values()].map(({ at }) => ({ at, run: state.steps.get(at) }));
  const settled = all.filter(({ run }) => isIn(run, 'settled'));
  const isDone = ({ at }: { readonly at: string }) =>
    stepStatus[statusOf(state, at) as keyof typeof stepStatus] === 'completed';
  return {
    completed: settled.filter(isDone).length,
    settled: settled.length,
    total: all.length,
    current: all.find(({ run }) => isIn(run, 'running'))?.run?.step ?? null,
  };
}

/** The refusal of a request, with its reason. */
export function refusalEvent(request: NostrEvent, reason: string, at: number): EventTemplate {
  return {
    kind: kinds.status,
    created_at: seconds(at),
    tags: [
      ['e', request.id, '', 'execution'],
      ['d', tagOf(request, 'd') ?? ''],
      ['status', 'failed'],
      ['progress', '0', '0'],
      ['cost', '0'],
      ['p', request.pubkey],
    ],
    content: reason,
  };
}

/** The status of a run in the terms of the language. */
export function runStatus({
  status,
}: Pick<RunState, 'status'>): 'running' | 'completed' | 'failed' | 'cancelled' {
  switch (status) {
    case 'PENDING':
    case 'RUNNING':
      return 'running';
    case 'SUCCEEDED':
      return 'completed';
    case 'CANCELLED':
      return 'cancelled';
    case 'FAILED':
    case 'TIMED_OUT':
      return 'failed';
  }
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1_000);
}
