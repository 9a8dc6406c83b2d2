import { costOf, takenBy, type Price, type PriceList, type TokenCount } from '../kernel/price.ts';
import table from './price-table.json' with { type: 'json' };
import type { Calls, Session, Usage } from '../kernel/cost.ts';

/** List prices of the vendors, as of the day that the table names for each. */
export const builtInPrices: PriceList = new Map<string, Price>(Object.entries(table.models));

/** The counts that a program reports: `usd` is null if it reports no cost. */
export interface Count extends TokenCount {
  readonly usd: number | null;
}

/** Nothing was used. */
export const nothing: Usage = { usd: 0, tokens: 0 };

/** A report that cannot be read: nothing of it counts, and it is named (see `credibleOutcome`). */
export const unreadableUsage: Usage = { usd: NaN, tokens: NaN };

/** Neither the cost nor the number of tokens is known. */
export const unknownUsage: Usage = { usd: null, tokens: null };

/**
 * Tokens of both directions, and the reported cost or otherwise the computed one; without a price
 * the cost is null, "unpriced".
 */
export function usageOf(count: Count, price: Price | null): Usage {
  const priced = price === null ? null : costOf(count, price);
  return { usd: count.usd ?? priced, tokens: takenBy(count) + count.output };
}

/** The calls of a launch, each counted alone. */
export function callsOf(counts: readonly TokenCount[]): Calls {
  return { inputs: counts.map(takenBy), output: counts.reduce((sum, { output }) => sum + output, 0) };
}

/** The sum of several usages; unknown if one of them is. */
export function together(usages: readonly Usage[]): Usage {
  return usages.reduce(
    (sum, { usd, tokens }) => ({ usd: plus(sum.usd, usd), tokens: plus(sum.tokens, tokens) }),
    { usd: 0, tokens: 0 },
  );
}

function plus(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}

/**
 * The usage of one invocation: the conversation's running total minus the total that `session` had
 * reached. A total that decreased means that the program restarted its count: then it is the usage.
 */
export function sinceSession(total: Usage, session: Session | null): Usage {
  const tokens = subtract(total.tokens, session?.tokens ?? 0);
  // Earlier tokens without a price stay free: only the share of the new ones counts.
  const unpriced = session !== null && session.usd === 0 && session.tokens > 0 && total.tokens !== tokens;
  if (unpriced && total.usd !== null && total.tokens !== null && tokens !== null)
    return { usd: (total.usd * tokens) / total.tokens, tokens };
  return { usd: subtract(total.usd, session?.usd ?? 0), tokens };
}

/**
 * Like `sinceSession` for a program that reports only tokens, as their sum over the conversation so
 * far. The total is priced as if no request were long, so that it grows only by new tokens; these
 * cost more if one of their requests may have been long.
 */
export function pricedSinceSession(
  total: TokenCount | null,
  price: Price | null,
  session: Session | null,
): { readonly total: Usage; readonly usage: Usage } {
  if (total === null) return { total: unknownUsage, usage: unknownUsage };
  const short = price && shortOnly(price);
  const counted = usageOf({ ...total, usd: null }, short);
  const usage = sinceSession(counted, session);
  const taken = session === null ? takenBy(total) : usage.tokens;
  if (price?.long === undefined || taken === null || taken <= price.long.above)
    return { total: counted, usage };
  const long = usageOf({ ...total, usd: null }, { ...price.long }).usd;
  const dearer = long === null || counted.usd === null ? null : long / counted.usd;
  const usd = usage.usd === null || dearer === null ? null : usage.usd * dearer;
  return { total: counted, usage: { ...usage, usd } };
}

function shortOnly({ long: _long, ...short }: Price): Price {
  return short;
}

function subtract(total: number | null, previous: number): number | null {
  if (total === null || total < previous) return total;
  return total - previous;
}
