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
const charactersPerToken = 4;
/** Tokens that an agent reads and writes besides its prompt. */
const tokensOfWork = 10_000;
/** Tokens of a value that the prompt gets from another step. */
const tokensPerValue = 500;
/** The share of all tokens that the agent writes. */
const written = 0.1;

/** The assumptions in words. */
export const assumed = {
  time: 'each step runs once, as long as its timeout; gates take no time',
  tokens:
    `each agent runs once: its prompt at ${String(charactersPerToken)} characters a token, ` +
    `${String(tokensPerValue)} tokens for each value that it is handed, and ${String(tokensOfWork)} that it reads and writes, a tenth of all of it written`,
} as const;

/** The expected use of a body. `slots`: processes that the host can run at once. */
export function expectedOf(body: BodyRule, estimate: Estimate, slots: number): Expected {
  const room = Math.max(1, Math.min(slots, body.workflow.concurrency ?? Infinity));
  let tokens = 0;
  let usd: number | null = 0;
  for (const call of callsIn(body)) {
    const { tokens: limit, price } = estimate(call.work);
    const used = Math.min(tokensOf(call), limit ?? Infinity);
    const output = Math.round(used * written);
    const cost = price === null ? null : costOf({ input: used - output, cached: 0, output }, price);
    tokens += used;
    usd = usd === null || cost === null ? null : usd + cost;
  }
  return { time: timeOf(body, room), tokens, usd };
}

interface AgentCall {
  readonly work: Agent | Extract<Work, { kind: 'role' }>;
  /** The number of values that its prompt takes from other steps. */
  readonly promptInputs: number;
}

function callsIn({ steps }: BodyRule): AgentCall[] {
  return [...steps.values()].flatMap(({ step, inner }): AgentCall[] => {
    const own = inner === null ? callsOf(step.work, step.promptInputs?.length ?? 0) : callsIn(inner);
    // A summary is one more turn; other checks may find the work complete at once.
    return [...own, ...(step.check === null ? [] : callsOf(step.check.work, 0))];
  });
}

function callsOf(work: Work, promptInputs: number): AgentCall[] {
  return work.kind === 'agent' || work.kind === 'role' ? [{ work: work, promptInputs }] : [];
}

function tokensOf({ work: { instructions }, promptInputs }: AgentCall): number {
  const characters = instructions.reduce(
    (sum, part) => sum + (part.kind === 'text' ? part.text.length : 0),
    0,
  );
  return Math.ceil(characters / charactersPerToken) + promptInputs * tokensPerValue + tokensOfWork;
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
