import { ceilingOf, inOrder, type Ceiling, type Estimate } from './ceiling.ts';
import { profilesOf } from '../bodies.ts';
import { expectedOf, type Expected } from './expected.ts';
import type { TakenProfile } from '../agent.ts';
import { neverBegins } from '../first-condition.ts';
import type { Approval, FailurePolicy, Step, StepDisplay, Work } from '../model.ts';
import { iterationsOf } from './iterations.ts';
import { type BodyRule, type Rules, type StaticPath, type StepRule } from './rules.ts';
import { workerKind } from './view.ts';
import type { Capability } from '../../kernel/capabilities.ts';
import type { Budget } from '../../kernel/cost.ts';

/** The inputs of a step, its outputs, and how often it may start. */
export interface Contract {
  readonly step: StaticPath;
  readonly kind: string;
  /** Null: it has none, or an expression chooses its agent. */
  readonly provider: string | null;
  /** The agents of the configuration whose settings it takes; several: an expression chooses. */
  readonly agents: readonly TakenProfile[];
  readonly role: string | null;
  readonly model: string | null;
  readonly capabilities: readonly Capability[];
  readonly needs: readonly string[];
  /** Whose git worktree it works in; null: it works in the workspace of the run. */
  readonly worktree: 'step' | 'item' | null;
  /** The labels of the worker hosts that run it; empty: any of them. Null: it runs here. */
  readonly on: readonly string[] | null;
  /** The steps whose work it merges; empty: none. */
  readonly merges: readonly string[];
  /** The branch that it lands on; null: none. */
  readonly lands: string | null;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly values: readonly string[];
  readonly timeout: number | null;
  readonly attempts: number;
  readonly iterations: number;
  /** The items of a loop, null: known only at run time; 1 for other steps; 0: it never runs. */
  readonly items: number | null;
  readonly onFailure: FailurePolicy;
  /** What a gate asks: who may answer (empty: anybody), and the names of fields. Null: no gate. */
  readonly approval: Readonly<Record<'approvers' | 'choices' | 'fields', readonly string[]>> | null;
  /** As the workflow's language shows it; null: it has no display of its own. */
  readonly display: StepDisplay | null;
}

/** Steps that can run at the same time, considering only their needs. */
export interface Batch {
  readonly number: number;
  readonly parallel: boolean;
  readonly steps: readonly StaticPath[];
}

export interface Plan {
  readonly batches: readonly Batch[];
  /** Of every step, including those of loops and sub-workflows. */
  readonly contracts: readonly Contract[];
  readonly ceiling: Ceiling;
  readonly expected: Expected;
  /** The assumptions behind the figures. */
  readonly assumptions: readonly string[];
}

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
export function planOf(rules: Rules, { estimate, budget, slots }: PlanData): Plan {
  const ceiling = ceilingOf(rules.root, estimate, slots);
  const { timeout } = rules.workflow;
  const time = timeout === null ? ceiling.time : Math.min(timeout, ceiling.time ?? timeout);
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

/** Steps by the length of the longest path to them; a sequence has one step per batch. */
function batchesOf(body: BodyRule): Batch[] {
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

function contractsOf(body: BodyRule): Contract[] {
  return [...body.steps.values()].flatMap((rule) => [
    contractOf(rule),
    ...(rule.inner === null ? [] : contractsOf(rule.inner)),
  ]);
}

function contractOf({ at, step, body, inner }: StepRule): Contract {
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

function askedBy({ approvers, choices, fields }: Approval): NonNullable<Contract['approval']> {
  return { approvers, choices, fields: Object.keys(fields) };
}

function permissionsOf(work: Work): readonly Capability[] {
  return work.kind === 'agent' || work.kind === 'script' || work.kind === 'command'
    ? (work.capabilities ?? [])
    : [];
}
