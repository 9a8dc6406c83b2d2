import { costOf } from '../../kernel/price.ts';
import { inOrder, type Estimate } from './ceiling.ts';
import type { Agent } from '../agent.ts';
import type { Work } from '../model.ts';
import type { BodyRule, StepRule } from './rules.ts';

/** The expected use of a successful run: each step once, a loop's body once. */
export interface Expected {
  /**
   * Milliseconds, if each step takes its whole timeout within the available slots; null: a step has
   * no timeout.
   */
  readonly time: number | null;
  readonly tokens: number;
  /** Dollars for these tokens; null: a model's price is unknown. */
  readonly usd: number | null;
}

/* Actual use is known only afterwards. These figures are assumptions, and a plan names them. */
const lettersPerToken = 4;
/** Tokens that an agent reads and writes besides its prompt. */
const work = 10_000;
/** Tokens of a value that the prompt gets from another step. */
const handed = 500;
/** The share of all tokens that the agent writes. */
const written = 0.1;

/** The assumptions in words. */
export const assumed = {
  time: 'each step runs once, as long as its timeout; gates take no time',
  tokens:
    `each agent runs once: its prompt at ${String(lettersPerToken)} characters a token, ` +
    `${String(handed)} tokens for each value that it is handed, and ${String(work)} that it reads and writes, a tenth of all of it written`,
} as const;

/** The expected use of a body. `slots`: processes that the host can run at once. */
export function expectedOf(body: BodyRule, estimate: Estimate, slots: number): Expected {
  const room = Math.max(1, Math.min(slots, body.workflow.concurrency ?? Infinity));
  let tokens = 0;
  let usd: number | null = 0;
  for (const launch of launchesIn(body)) {
    const { tokens: limit, price } = estimate(launch.work);
    const used = Math.min(tokensOf(launch), limit ?? Infinity);
    const output = Math.round(used * written);
    const cost = price === null ? null : costOf({ input: used - output, cached: 0, output }, price);
    tokens += used;
    usd = usd === null || cost === null ? null : usd + cost;
  }
  return { time: timeOf(body, room), tokens, usd };
}

interface Launch {
  readonly work: Agent | Extract<Work, { kind: 'role' }>;
  /** The number of values that its prompt takes from other steps. */
  readonly takes: number;
}

function launchesIn({ steps }: BodyRule): Launch[] {
  return [...steps.values()].flatMap(({ step, inner }): Launch[] => {
    if (inner !== null) return launchesIn(inner);
    const own = launchOf(step.work, step.promptInputs?.length ?? 0);
    // A summary is one more turn; other checks may find the work complete at once.
    return [...own, ...(step.check === null ? [] : launchOf(step.check.work, 0))];
  });
}

function launchOf(done: Work, takes: number): Launch[] {
  return done.kind === 'agent' || done.kind === 'role' ? [{ work: done, takes }] : [];
}

function tokensOf({ work: { instructions }, takes }: Launch): number {
  const letters = instructions.reduce((sum, part) => sum + (part.kind === 'text' ? part.text.length : 0), 0);
  return Math.ceil(letters / lettersPerToken) + takes * handed + work;
}

/** When the last step ends if each starts as early as needs and slots allow, in milliseconds. */
function timeOf(body: BodyRule, room: number): number | null {
  const ends = new Map<StepRule, number>();
  const busy: number[] = [];
  for (const rule of inOrder(body)) {
    const own = durationOf(rule, room);
    if (own === null) return null;
    const before = rule.step.needs.map((need) => ends.get(body.steps.get(need.step) ?? rule) ?? 0);
    const ready = Math.max(0, ...before);
    if (rule.step.work.kind === 'gate') {
      ends.set(rule, ready);
      continue;
    }
    const start = busy.length < room ? ready : Math.max(ready, takeLeast(busy));
    busy.push(start + own);
    ends.set(rule, start + own);
  }
  return Math.max(0, ...ends.values());
}

function durationOf({ step, inner }: StepRule, room: number): number | null {
  if (step.work.kind === 'gate') return 0;
  return inner === null ? step.timeout : timeOf(inner, room);
}

/** Removes the least number of a list. */
function takeLeast(numbers: number[]): number {
  const least = Math.min(...numbers);
  numbers.splice(numbers.indexOf(least), 1);
  return least;
}
