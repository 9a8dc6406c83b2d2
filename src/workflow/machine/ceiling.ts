import { atMost, type Price } from '../../kernel/price.ts';
import { pause } from '../../kernel/backoff.ts';
import { mostChecks } from './convergence.ts';
import { defaultConcurrency } from './decide/room.ts';
import { variantsOf } from '../bodies.ts';
import { stepsOnCycles } from '../flow.ts';
import type { Agent } from '../agent.ts';
import type { Body, Check, Step, Work } from '../model.ts';
import { iterationsOf } from './iterations.ts';
import type { BodyRule, StepRule } from './rules.ts';
import type { Budget } from '../../kernel/cost.ts';

/**
 * What an estimate needs besides the definition: the default limits of a launch, and its model's
 * price.
 */
interface LaunchEstimate extends Budget {
  readonly price: Price | null;
}
export type Estimate = (work: Agent | Extract<Work, { kind: 'role' }>) => LaunchEstimate;

/** An upper bound; null: unbounded, and `unbounded` says why. */
export interface Ceiling {
  /** Launches of agents and turns of roles. */
  readonly launches: number | null;
  /** Launches of scripts and commands. */
  readonly processes: number | null;
  /** Milliseconds of running; gates, waiting for people and rate-limited providers do not count. */
  readonly time: number | null;
  readonly tokens: number | null;
  readonly usd: number | null;
  readonly unbounded: readonly Unbounded[];
}

interface Unbounded {
  readonly step: string;
  readonly what: 'launches' | 'time' | 'tokens' | 'usd';
  readonly why: string;
}

type Amounts = Omit<Ceiling, 'unbounded'>;
type Term = number | null;

const none: Amounts = { launches: 0, processes: 0, time: 0, tokens: 0, usd: 0 };

function times(a: Term, b: Term): Term {
  if (a === 0 || b === 0) return 0;
  return a === null || b === null ? null : a * b;
}

function plus(a: Term, b: Term): Term {
  return a === null || b === null ? null : a + b;
}

function more(a: Term, b: Term): Term {
  return a === null || b === null ? null : Math.max(a, b);
}

function scale(amounts: Amounts, by: Term): Amounts {
  const { launches, processes, time, tokens, usd } = amounts;
  return {
    launches: times(launches, by),
    processes: times(processes, by),
    time: times(time, by),
    tokens: times(tokens, by),
    usd: times(usd, by),
  };
}

function add(a: Amounts, b: Amounts): Amounts {
  return {
    launches: plus(a.launches, b.launches),
    processes: plus(a.processes, b.processes),
    time: plus(a.time, b.time),
    tokens: plus(a.tokens, b.tokens),
    usd: plus(a.usd, b.usd),
  };
}

function most(a: Amounts, b: Amounts): Amounts {
  return {
    launches: more(a.launches, b.launches),
    processes: more(a.processes, b.processes),
    time: more(a.time, b.time),
    tokens: more(a.tokens, b.tokens),
    usd: more(a.usd, b.usd),
  };
}

/**
 * The worst case of a body with all inner bodies. `slots`: agents that the host can run at once.
 */
export function ceilingOf(body: BodyRule, estimate: Estimate, slots: number): Ceiling {
  const unbounded: Unbounded[] = [];
  const amounts = bodyCeiling(body, { estimate, slots, unbounded });
  return { ...amounts, unbounded };
}

interface Reckoning {
  readonly estimate: Estimate;
  readonly slots: number;
  readonly unbounded: Unbounded[];
}

function bodyCeiling(body: BodyRule, reckoning: Reckoning): Amounts {
  const each = new Map<StepRule, Amounts>();
  for (const rule of body.steps.values()) each.set(rule, stepCeiling(rule, reckoning));
  const sum = [...each.values()].reduce(add, none);
  if (body.body.kind === 'sequence') return sequenceCeiling(body.body, each);
  const isNarrow = body.steps.size <= defaultConcurrency;
  const processes = body.workflow.concurrency ?? (isNarrow ? Infinity : defaultConcurrency);
  const least = sum.launches === 0 ? processes : Math.min(reckoning.slots, processes);
  return { ...sum, time: graphTime(body, each, sum.time, least) };
}

/** A step that no jump leads back to is visited once. */
function sequenceCeiling(
  body: Extract<Body, { kind: 'sequence' }>,
  each: ReadonlyMap<StepRule, Amounts>,
): Amounts {
  const again = stepsOnCycles(body);
  const all = [...each].map(([{ step }, amounts]) =>
    again.has(step.id) ? scale(amounts, body.maxVisits) : amounts,
  );
  return all.reduce(add, none);
}

/** The longest path plus the wait for slots: no start order takes longer (Graham's bound). */
function graphTime(
  body: BodyRule,
  each: ReadonlyMap<StepRule, Amounts>,
  sum: Term,
  concurrency: number,
): Term {
  const ends = new Map<StepRule, Term>();
  let longest: Term = 0;
  for (const rule of inOrder(body)) {
    let start: Term = 0;
    for (const need of rule.step.needs) {
      const before = body.steps.get(need.step);
      if (before) start = more(start, ends.get(before) ?? null);
    }
    const end = plus(start, each.get(rule)?.time ?? 0);
    ends.set(rule, end);
    longest = more(longest, end);
  }
  if (longest === null || sum === null) return null;
  return Number.isFinite(concurrency)
    ? Math.ceil(longest + (sum - longest) / Math.max(1, concurrency))
    : longest;
}

/** The steps of a graph, each after those that it needs. */
export function inOrder({ steps, roots, last }: BodyRule): StepRule[] {
  const left = new Map([...steps.values()].map((rule) => [rule, rule.needs]));
  const order = [...roots];
  for (const rule of order)
    for (const after of rule.dependents) {
      const needs = (left.get(after) ?? 0) - 1;
      left.set(after, needs);
      if (needs === 0) order.push(after);
    }
  return last === null ? order : [...order, last];
}

function stepCeiling(rule: StepRule, reckoning: Reckoning): Amounts {
  const { step, inner, at } = rule;
  if (['gate', 'assign', 'merge', 'land', 'route', 'fail'].includes(step.work.kind)) return none;
  const attempts = 1 + step.retry.max;
  const iterations = step.check?.maxIterations ?? 1;
  const once =
    inner === null
      ? variantsOf(step)
          .map((each) => launchCeiling(at, each.work, each.timeout, each.budget, reckoning))
          .reduce(most)
      : innerCeiling(rule, inner, reckoning);
  const check = step.check === null ? none : checkCeiling(at, step.check, reckoning);
  const pauses = { ...none, time: pausesOf(step, attempts) };
  return scale(add(add(scale(once, attempts), pauses), check), iterations);
}

/** A loop or a sub-workflow, once: its time limit counts anew in each attempt and iteration. */
function innerCeiling({ step, at }: StepRule, inner: BodyRule, reckoning: Reckoning): Amounts {
  const { work } = step;
  const items = iterationsOf(work);
  if (items === null) {
    const why = 'how many items there are is known only when it runs';
    reckoning.unbounded.push({ step: at, what: 'launches', why });
  }
  const once = bodyCeiling(inner, reckoning);
  const rounds = work.kind === 'for-each' && items !== null ? Math.ceil(items / work.concurrency) : items;
  return { ...scale(once, items), time: bounded(times(once.time, rounds), limitOf(step, work)) };
}

function limitOf({ timeout }: Step, work: Work): Term {
  const limits = [timeout, work.kind === 'workflow' ? work.workflow.timeout : null].filter(
    (each) => each !== null,
  );
  return limits.length === 0 ? null : Math.min(...limits);
}

function bounded(time: Term, limit: Term): Term {
  if (limit === null) return time;
  return time === null ? limit : Math.min(time, limit);
}

function pausesOf({ retry }: Step, attempts: number): number {
  let sum = 0;
  for (let count = 1; count < attempts; count += 1) sum += pause({ ...retry, jitter: false }, count, '');
  return sum;
}

function checkCeiling(at: string, check: Check, reckoning: Reckoning): Amounts {
  return scale(launchCeiling(at, check.work, check.timeout, check.budget, reckoning), mostChecks);
}

function launchCeiling(
  at: string,
  work: Work | Check['work'],
  timeout: number | null,
  own: Budget | null,
  { estimate, unbounded }: Reckoning,
): Amounts {
  if (timeout === null) unbounded.push({ step: at, what: 'time', why: 'it has no timeout' });
  if (work.kind !== 'agent' && work.kind !== 'role') return { ...none, processes: 1, time: timeout };
  const guess = estimate(work);
  const tokens = own?.tokens ?? guess.tokens;
  const limit = own?.usd ?? guess.usd;
  const priced = tokens === null || guess.price === null ? null : atMost(tokens, guess.price);
  const usd = limit === null ? priced : Math.min(limit, priced ?? limit);
  if (usd === null) unbounded.push({ step: at, what: 'usd', why: whyUnpriced(tokens) });
  if (tokens === null) unbounded.push({ step: at, what: 'tokens', why: 'it has no budget of tokens' });
  return { ...none, launches: 1, time: timeout, usd, tokens };
}

function whyUnpriced(tokens: number | null): string {
  return tokens === null
    ? 'it has no budget'
    : 'it has no budget of dollars, and the price of its model is not known';
}
