import type { Template } from '../../../expressions/template.ts';
import type { Json } from '../../../kernel/json.ts';
import { attempt, evaluationOf } from '../resolve.ts';
import type { ResolveFailure } from '../evaluation.ts';
import type { Fact, SkipReason } from '../event.ts';
import { isIn } from '../fold/steps.ts';
import type { Evaluation } from '../evaluation.ts';
import { entered as currentOf, type StepVisit } from '../scope.ts';
import { isOneEnough } from '../../flow.ts';
import type { Join, StepId } from '../../model.ts';
import { isTree, type StepRule } from '../rules.ts';
import type { Phase } from '../state.ts';
import { fail, lead, noOutput, skip, succeed, type DecisionContext } from './context.ts';
import { withArticle } from '../../../kernel/enumerate.ts';

/**
 * What follows for a step whose needs are all settled: facts, or `ready` when it only waits for a
 * slot.
 */
export function consider(context: DecisionContext, entered: StepVisit): Fact[] | 'ready' {
  const { state, rules } = context;
  const { step } = entered.rule;
  const judged = attempt(() => {
    const evaluation = lazily(() => evaluationOf(state, rules, entered));
    const alone = state.given?.only != null && entered.scope.path === '';
    const refused = alone ? null : needsRefusal(context, entered, evaluation);
    if (refused !== null) return refused;
    // A step that runs alone has no results of others for its condition to read.
    if (alone && entered.rule.whenReadsSteps) return null;
    return step.when === null || evaluation().condition(step.when) ? null : ({ why: 'condition' } as const);
  });
  if (!judged.ok) return failUnresolved(entered, judged.why);
  if (judged.value !== null) return [skip(entered, judged.value)];
  switch (step.work.kind) {
    case 'gate':
      return asks(context, entered, step.work);
    case 'for-each':
    case 'while':
    case 'workflow':
      return expands(context, entered);
    case 'assign':
      return assigns(context, entered, step.work);
    case 'route':
      return routes(context, entered, step.work);
    case 'fail':
      return fails(context, entered, step.work);
    default:
      return 'ready';
  }
}

/** Most steps evaluate nothing before they start. */
function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

/**
 * Fails a step that lacks a requirement or cannot be resolved. In a sequence, where no other step
 * would report it, a missing requirement ends the run.
 */
export function failUnresolved(entered: StepVisit, why: ResolveFailure): Fact[] {
  if (why.is === 'unseen') {
    return [{ type: 'looking', path: entered.path, asks: why.asks, file: why.file }];
  }
  const inSequence = entered.rule.body.body.kind === 'sequence';
  const { reason } = why;
  const ends = inSequence && reason.code === 'E_VAR_MISSING';
  return fail(entered, { class: ends ? 'FATAL' : 'NON_RETRYABLE', reason, timedOut: false });
}

/** Sets its values, which takes no time. */
function assigns(
  { state, rules }: DecisionContext,
  entered: StepVisit,
  { values }: WorkOf<'assign'>,
): Fact[] {
  const set = attempt(() => {
    const evaluation = evaluationOf(state, rules, entered);
    return Object.entries(values).map(([name, value]) => [name, evaluation.render(value)] as const);
  });
  if (!set.ok) return failUnresolved(entered, set.why);
  return [succeed(entered, 'SUCCEEDED', { ...noOutput, context: Object.fromEntries(set.value) })];
}

/** Continues with the first way whose condition is true; with the next step if there is none. */
function routes({ state, rules }: DecisionContext, entered: StepVisit, { ways }: WorkOf<'route'>): Fact[] {
  const chosen = attempt(() => {
    const evaluation = evaluationOf(state, rules, entered);
    return ways.find(({ when }) => when === null || evaluation.condition(when)) ?? null;
  });
  if (!chosen.ok) return failUnresolved(entered, chosen.why);
  if (chosen.value === null) return [succeed(entered, 'SUCCEEDED', noOutput)];
  return [lead(entered, chosen.value.to)];
}

function fails({ state, rules }: DecisionContext, entered: StepVisit, { message }: WorkOf<'fail'>): Fact[] {
  const text = attempt(() => evaluationOf(state, rules, entered).renderText(message));
  if (!text.ok) return failUnresolved(entered, text.why);
  const said = text.value.trim() === '' ? 'its `fail` gives an empty reason' : text.value;
  const reason = { code: 'E_STEP', text: said } as const;
  return fail(entered, { class: 'NON_RETRYABLE', reason, timedOut: false });
}

/** Why its needs do not let a step run; null: they do. */
function needsRefusal(
  { state }: DecisionContext,
  { scope, rule }: StepVisit,
  evaluation: () => Evaluation,
): SkipReason | null {
  const { needs, join } = rule.step;
  if (rule.body.body.kind === 'sequence' || needs.length === 0) return null;
  const one = isOneEnough(join);
  let counted = 0;
  for (const need of needs) {
    const run = currentOf(state, scope, need.step);
    const fits = isIn(run, 'settled') && isFit(join, rule, need.step, run.phase);
    if (!fits && !one) return { why: 'dependency', step: need.step };
    if (fits && (need.when === null || evaluation().condition(need.when))) counted += 1;
    else if (!one) return { why: 'edges' };
  }
  if (counted > 0) return null;
  const none = needs.every(({ when }) => when === null) ? needs.map(({ step }) => step) : null;
  return { why: 'edges', ...(none && { none }) };
}

/** Whether a settled need has done what the join asks for. */
function isFit(join: Join, rule: StepRule, need: StepId, phase: Settled): boolean {
  switch (join) {
    case 'all':
    case 'any':
      return phase.leaves === 'satisfied' || isJudged(rule, need, phase);
    case 'one_success':
      return phase.status === 'SUCCEEDED' || phase.status === 'INCOMPLETE';
    case 'none_failed':
      return phase.status !== 'FAILED' && phase.status !== 'CANCELLED' && phase.skipped?.why !== 'failed';
    case 'all_done':
      return true;
  }
}

/**
 * Whether a step's own condition decides on a closed need, because it reads the status of a gate
 * that was skipped.
 */
function isJudged({ judges }: StepRule, need: StepId, { skipped }: Settled): boolean {
  return skipped?.why === 'condition' && judges.has(need);
}

type Settled = Extract<Phase, { is: 'settled' }>;

type WorkOf<K extends StepVisit['rule']['step']['work']['kind']> = Extract<
  StepVisit['rule']['step']['work'],
  { kind: K }
>;

function asks({ state, rules, now }: DecisionContext, entered: StepVisit, gate: WorkOf<'gate'>): Fact[] {
  const message = attempt(() => evaluationOf(state, rules, entered).renderText(gate.message));
  if (!message.ok) return failUnresolved(entered, message.why);
  const { approvers, choices, fields, timeout } = gate;
  const deadline = timeout === null ? null : now + timeout;
  const { path } = entered;
  return [{ type: 'asked', path, message: message.value, approvers, choices, fields, deadline }];
}

/** The begin of a loop whose items have names: each has one, and another than the others. */
function keyed(
  { state, rules }: Pick<DecisionContext, 'state' | 'rules'>,
  entered: StepVisit,
  expanded: Extract<Fact, { type: 'expanded' }>,
  key: Template,
): Fact[] {
  const { items } = expanded;
  const named = attempt(() => {
    const evaluation = evaluationOf(state, rules, entered);
    const name = entered.rule.inner?.item ?? 'item';
    return (items ?? []).map((item, index) =>
      evaluation.with({ item, [name]: item, loop: { index } }).renderText(key),
    );
  });
  if (!named.ok) return failUnresolved(entered, named.why);
  const keys = named.value;
  const seen = new Set<string>();
  const wrong = keys.findIndex((each) => each === '' || seen.size === seen.add(each).size);
  if (wrong === -1) return [{ ...expanded, keys }];
  const text =
    keys[wrong] === ''
      ? `item ${String(wrong)} has an empty key`
      : `two items have the key \`${keys[wrong]!}\``;
  return fail(entered, { class: 'NON_RETRYABLE', reason: { code: 'E_EXPRESSION', text }, timedOut: false });
}

/** A loop or a sub-workflow begins, or a sub-workflow its next iteration. */
export function expands({ state, rules }: DecisionContext, entered: StepVisit): Fact[] {
  const { path } = entered;
  const { work, timeout } = entered.rule.step;
  if (work.kind === 'workflow') {
    const limits = [work.workflow.timeout, timeout].filter((each) => each !== null);
    const least = limits.length === 0 ? null : Math.min(...limits);
    return [{ type: 'expanded', path, items: null, bound: null, concurrency: 1, timeout: least }];
  }
  if (work.kind === 'while')
    return [{ type: 'expanded', path, items: [], bound: work.maxIterations, concurrency: 1, timeout }];
  if (work.kind !== 'for-each') return [];
  const { items: source, concurrency } = work;
  const items = attempt((): Json =>
    isTree(source) ? evaluationOf(state, rules, entered).required.value(source) : [...source],
  );
  if (!items.ok) return failUnresolved(entered, items.why);
  if (Array.isArray(items.value)) {
    const base = { type: 'expanded', path, items: items.value, bound: null, concurrency, timeout } as const;
    return work.key === undefined ? [base] : keyed({ state, rules }, entered, base, work.key);
  }
  const found = items.value === null ? 'null' : withArticle(typeof items.value);
  const text = `what it runs for must be a list, not ${found}`;
  return fail(entered, { class: 'NON_RETRYABLE', reason: { code: 'E_EXPRESSION', text }, timedOut: false });
}
