import { ceilingOf, inOrder, type Estimate } from './ceiling.ts';
import { profilesOf } from '../bodies.ts';
import { expectedOf } from './expected.ts';
import { neverBegins } from '../first-condition.ts';
import type { Approval, Step, Work } from '../model.ts';
import { iterationsOf } from './iterations.ts';
import { type BodyRule, type Rules, type StaticPath, type StepRule } from './rules.ts';
import { workerKind } from './view.ts';
import type { Capability } from '../../kernel/capabilities.ts';
import type { Budget } from '../../kernel/cost.ts';

/** What a plan needs besides the definition. */
export interface PlanData {
  /** The cost estimate of a launch where the definition sets no limit. */
  readonly estimate: Estimate;
  /** The run's limit, from the definition and the command line. */
  readonly budget: Budget;
  /** Concurrent processes of this host. */
  readonly slots: number;
}

/** The upper bounds of a run of a definition. Pure; starts nothing. */
export function planOf(rules: Rules, { estimate, budget, slots }: PlanData) {
  const ceiling = ceilingOf(rules.root, estimate, slots);
  const time = timeOf(rules, ceiling.time, { estimate, slots });
  return {
    batches: batchesOf(rules.root),
    contracts: contractsOf(rules.root),
    ceiling: { ...ceiling, time },
    expected: expectedOf(rules.root, estimate, slots),
    assumptions: [
      'worst case: all retries and iterations are used',
      'waiting for people, gates and rate-limited providers takes no time',
      ...(budget.usd === null
        ? []
        : [`the run launches no more agents once $${String(budget.usd)} are spent or reserved`]),
      ...(budget.tokens === null
        ? []
        : [`the run launches no more agents once ${String(budget.tokens)} tokens are spent or reserved`]),
    ],
  };
}

/** The longest time of a run: its timeout does not bound what runs finally. */
function timeOf(
  { workflow: { timeout }, root: { last } }: Rules,
  whole: number | null,
  { estimate, slots }: Pick<PlanData, 'estimate' | 'slots'>,
): number | null {
  if (timeout === null) return whole;
  const after = last?.inner ? ceilingOf(last.inner, estimate, slots).time : 0;
  if (after === null) return null;
  return Math.min(timeout, whole === null ? timeout : whole - after) + after;
}

/** Steps by the length of the longest path to them; a sequence has one step per batch. */
function batchesOf(body: BodyRule) {
  if (body.body.kind === 'sequence')
    return [...body.steps.values()].map(({ at }, index) => ({
      number: index + 1,
      parallel: false,
      steps: [at],
    }));
  const level = new Map<StepRule, number>();
  const batches: StaticPath[][] = [];
  for (const rule of inOrder(body)) {
    const before = rule.step.needs.map((need) => level.get(body.steps.get(need.step) ?? rule) ?? -1);
    const own = before.reduce((most, each) => Math.max(most, each + 1), 0);
    level.set(rule, own);
    (batches[own] ??= []).push(rule.at);
  }
  return batches.map((steps, index) => ({ number: index + 1, parallel: steps.length > 1, steps }));
}

function contractsOf(body: BodyRule): ReturnType<typeof contractOf>[] {
  return [...body.steps.values()].flatMap((rule) => [
    contractOf(rule),
    ...(rule.inner === null ? [] : contractsOf(rule.inner)),
  ]);
}

/** The inputs of a step, its outputs, and how often it may start. */
function contractOf({ at, step, body, inner }: StepRule) {
  const { work, onFailure, timeout, check, needs, inputs, outputs, values, retry } = step;
  return {
    step: at,
    kind: step.choice === undefined ? workerKind(work) : 'AGENT',
    provider: work.kind === 'agent' && step.choice === undefined ? work.provider : null,
    agents: profilesOf(step),
    role: work.kind === 'role' ? work.role : null,
    model: work.kind === 'agent' ? work.model : null,
    capabilities: permissionsOf(work),
    needs: needs.map((need) => need.step),
    worktree: step.checkout?.per ?? null,
    on: step.on?.labels ?? null,
    merges: step.checkout?.merges ?? [],
    lands: work.kind === 'land' ? work.branch : null,
    inputs: inputs.map(({ from, artifact }) => `${from}/${artifact}`),
    outputs: outputs.map(({ name }) => name),
    values: Object.keys(values),
    timeout,
    attempts: 1 + retry.max,
    iterations: check?.maxIterations ?? 1,
    items: isNeverRun(step, body, inner) ? 0 : iterationsOf(work),
    onFailure,
    approval: work.kind === 'gate' ? askedBy(work) : null,
    display: step.display ?? null,
  };
}

function isNeverRun({ work }: Step, body: BodyRule, inner: BodyRule | null): boolean {
  if (work.kind !== 'while') return false;
  const isNamed = ({ steps }: BodyRule, name: string) =>
    [...steps.keys()].some((id) => id.toLowerCase() === name.toLowerCase());
  const isOwn = (name: string) => {
    for (let around: BodyRule | null = body; around !== null; around = around.around)
      if (isNamed(around, name)) return false;
    return inner !== null && isNamed(inner, name);
  };
  return neverBegins(work.condition, isOwn, body.language);
}

function askedBy({ approvers, choices, fields }: Approval) {
  return { approvers, choices, fields: Object.keys(fields) };
}

function permissionsOf(work: Work): readonly Capability[] {
  return work.kind === 'agent' || work.kind === 'script' || work.kind === 'command'
    ? (work.capabilities ?? [])
    : [];
}
