import { costOf, type Price, type PriceList, type TokenCount } from '../kernel/price.ts';
import table from './price-table.json' with { type: 'json' };
import type { Session, Usage } from '../kernel/cost.ts';

/** List prices of the vendors, each on the day that the table names. */
export const builtInPrices: PriceList = new Map<string, Price>(Object.entries(table.models));

/** What a program counted: `usd` is null where it reports no cost. */
export interface Count extends TokenCount {
  readonly usd: number | null;
}

/** Nothing is known: neither a cost nor a number of tokens. */
export const unknownUsage: Usage = { usd: null, tokens: null };

/** Tokens of both directions, and the reported cost, else the price's; without either the cost is null, "unpriced". */
export function usageOf(count: Count, price: Price | null): Usage {
  const priced = price === null ? null : costOf(count, price);
  return { usd: count.usd ?? priced, tokens: count.input + count.cached + count.output };
}

/** The sum of several; unknown where one of them is. */
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
 * What one invocation used, from the running total of a conversation that `session` had brought to another total. A
 * total that went down means that the program began to count anew: then it is the usage itself.
 */
export function sinceSession(total: Usage, session: Session | null): Usage {
  const tokens = subtract(total.tokens, session?.tokens ?? 0);
  // What had no price then is not paid now: only the share of what came since.
  const unpriced = session !== null && session.usd === 0 && session.tokens > 0 && total.tokens !== tokens;
  if (unpriced && total.usd !== null && total.tokens !== null && tokens !== null)
    return { usd: (total.usd * tokens) / total.tokens, tokens };
  return { usd: subtract(total.usd, session?.usd ?? 0), tokens };
}

/**
 * The same of a program that tells tokens alone, as their sum over the conversation so far. Its total is priced as if no
 * request were long, so that it only ever grows by what came; what came then costs more where a request in it may have been.
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
  const taken = session === null ? total.input + total.cached : usage.tokens;
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
