import type { JsonObject } from '../../kernel/json.ts';
import type { Moment } from '../../kernel/times.ts';
import { keysOf } from '../machine/keyed-path.ts';
import { compile, type Rules } from '../machine/rules.ts';
import type { RunState, StepRun } from '../machine/state.ts';
import {
  agentOf,
  attemptsOf,
  documentOf,
  emptyLoop,
  reasonOf,
  statusOf,
  warningsOf,
} from '../machine/view.ts';
import { findStep } from '../machine/scope.ts';
import { wayTaken } from '../machine/explain/conditions.ts';
import type { StoredRun } from '../../project/definition/contracts.ts';

/** A step of a run, as people see it. */
export interface StepRow {
  readonly path: string;
  /** The keys of the items that it belongs to, outermost first. */
  readonly keys: readonly string[];
  /** The agent of the configuration; null: it has none. */
  readonly agent: string | null;
  /** The worker host of its last attempt; null: it ran here. */
  readonly host: string | null;
  readonly status: string;
  /** Milliseconds; null: it has not ended, or did not start. */
  readonly took: number | null;
  /** Null: it was not entered. */
  readonly attempts: number | null;
  /** The reason for its end, or what it waits for; of an approval its question; empty: none. */
  readonly reason: string;
}

/** What `show` shows of a run. */
export interface ShownRun {
  readonly state: RunState;
  readonly document: JsonObject;
  readonly steps: readonly StepRow[];
  readonly warnings: readonly string[];
}

/** A run as its journal shows it, now or at a moment. */
export function shownRun(run: StoredRun, moment: Moment | null): ShownRun {
  const state = run.state(moment);
  const rules = compile(run.definition);
  return {
    state,
    document: { schema: 1, ...documentOf(state, rules) },
    steps: stepRows(state, rules),
    warnings: warningsOf(state),
  };
}

/** Every top-level step of the definition, and every step entered inside them. */
function stepRows(state: RunState, rules: Rules): StepRow[] {
  const tops = [...rules.root.steps.keys()];
  const order = new Map([...state.steps.keys()].map((path, index) => [path, index]));
  const paths = [...new Set([...tops, ...state.steps.keys()])].toSorted(
    (a, b) => tops.indexOf(topOf(a)) - tops.indexOf(topOf(b)) || compareInner(a, b, order),
  );
  return paths.map((path) => {
    const step = state.steps.get(path);
    return {
      path,
      keys: keysOf(state, path),
      agent: agentOf(state, rules, path),
      host: step?.host ?? null,
      status: statusOf(state, path),
      took: step === undefined ? null : tookOf(step),
      attempts: step === undefined ? null : attemptsOf(step),
      reason: step === undefined ? '' : reasonFor(step) || wayOf(state, rules, path),
    };
  });
}

function reasonFor(step: StepRun): string {
  const { phase } = step;
  if (phase.is === 'asked') return `asks: ${phase.message}`;
  const isWaiting = phase.is === 'running' && phase.launched !== null && phase.worker === null;
  return reasonOf(step) ?? emptyLoop(step) ?? (isWaiting ? 'waits for a worker' : '');
}

/** Which way a route took; empty: it is another step, or took none. */
function wayOf(state: RunState, rules: Rules, path: string): string {
  const way = findStep(state, rules, path)?.rule.step.work.kind === 'route' ? wayTaken(state, path) : null;
  return way === null ? '' : `to ${way}`;
}

function tookOf({ startedAt, settledAt }: StepRun): number | null {
  return startedAt === null || settledAt === null ? null : settledAt - startedAt;
}

/**
 * Iterations by their number, and in each the steps in the order of their start; `order` is that of
 * all steps.
 */
function compareInner(a: string, b: string, order: ReadonlyMap<string, number>): number {
  const [left, right] = [a.split('/'), b.split('/')];
  const at = left.findIndex((part, index) => part !== right[index]);
  if (at === -1 || right[at] === undefined) return left.length - right.length;
  const numbers = Number(left[at]) - Number(right[at]);
  if (!Number.isNaN(numbers)) return numbers;
  const began = (path: readonly string[]) => order.get(path.slice(0, at + 1).join('/')) ?? Infinity;
  return began(left) - began(right);
}

function topOf(path: string): string {
  return (path.split('/')[0] ?? path).replace(/#\d+$/, '');
}
