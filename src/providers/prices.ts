import type { Session, Usage } from '../core/mail/event.ts';

/** Dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
}

/** What a program counted. Cached tokens are part of `input`, reasoning tokens part of `output`. */
export interface Count {
  readonly input: number;
  readonly output: number;
  /** Null where the program reports no cost. */
  readonly usd: number | null;
}

/** Nothing is known: neither a cost nor a number of tokens. */
export const unknownUsage: Usage = { usd: null, tokens: null };

/** Tokens of both directions, and the reported cost, else the price's; without either the cost is null, "unpriced". */
export function usageOf(count: Count, price: Price | null): Usage {
  const priced = price === null ? null : (count.input * price.input + count.output * price.output) / 1e6;
  return { usd: count.usd ?? priced, tokens: count.input + count.output };
}

/**
 * What one invocation used, from the running total of a conversation that `session` had brought to another total. A
 * total that went down means that the program began to count anew: then it is the usage itself.
 */
export function sinceSession(total: Usage, session: Session | null): Usage {
  return {
    usd: subtract(total.usd, session?.usd ?? 0),
    tokens: subtract(total.tokens, session?.tokens ?? 0),
  };
}

function subtract(total: number | null, previous: number): number | null {
  if (total === null || total < previous) return total;
  return total - previous;
}
