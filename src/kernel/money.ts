import type { Bill, Bills, Budget, Cost, Usage } from './cost.ts';

export const noCost: Cost = { usd: 0, tokens: 0, unpriced: 0 };

/** The currency that a budget may have besides dollars and tokens. */
export const currencyName = 'msats';

export const unlimited: Budget = { usd: null, tokens: null };

/** Sums stop here: beyond it neither tokens nor millionths of dollars are exact. */
const largest = Number.MAX_SAFE_INTEGER;

/** Dollars are rounded to millionths, so that sums do not drift. */
function round(usd: number): number {
  return usd > largest / 1e6 ? usd : Math.round(usd * 1e6) / 1e6;
}

export function addCost(a: Cost, b: Cost): Cost {
  const units =
    a.units === undefined && b.units === undefined
      ? {}
      : { units: Math.min(largest, (a.units ?? 0) + (b.units ?? 0)) };
  return {
    usd: Math.min(largest / 1e6, round(a.usd + b.usd)),
    tokens: Math.min(largest, a.tokens + b.tokens),
    unpriced: a.unpriced + b.unpriced,
    ...units,
  };
}

/** `2026-11-21`: daily budgets use days in UTC. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** When the day of this time ends, in milliseconds since 1970. */
export function nextDay(at: number): number {
  return Date.parse(dayOf(at)) + 86_400_000;
}

/** Adds to the bill of the same kind; changes `bills`. */
export function charge(bills: Bills, added: Bill): void {
  const { day, provider, model, role, run, step, host, launches, cost } = added;
  const key = [day, provider, model ?? '', role ?? '', run ?? '', step ?? '', host ?? ''].join('\n');
  const known = bills.get(key);
  bills.set(
    key,
    known === undefined
      ? added
      : { ...known, launches: known.launches + launches, cost: addCost(known.cost, cost) },
  );
}

/** A report of more than this many times the budget of its launch is a mistake, or a lie. */
const mostTimes = 1000;
/** The same without a budget, and the budget that a smaller one counts as. */
const bounds = { usd: { most: 1e6, budget: 0.01 }, tokens: { most: 1e12, budget: 1000 } } as const;

const names = { usd: 'dollars', tokens: 'tokens' } as const;

/** Why a launch cannot have used what it reports, as the end of "it reported …"; null: it can. */
export function implausible(usage: Usage, budget: Budget | null): string | null {
  for (const unit of ['usd', 'tokens'] as const) {
    const used = usage[unit] ?? 0;
    if (Number.isNaN(used)) return `${names[unit]} that are no number, or are given twice`;
    if (used < 0) return `${String(used)} ${names[unit]}, less than nothing`;
    const limit = budget?.[unit] ?? null;
    const most = limit === null ? Infinity : mostTimes * Math.max(limit, bounds[unit].budget);
    const words = `${String(used)} ${names[unit]}, more than`;
    if (used > most) return `${words} ${String(mostTimes)} times its budget`;
    if (used > bounds[unit].most) return `${words} a launch can use`;
  }
  return null;
}

/** A report of usage as far as it counts: nothing of one that cannot be true. */
export function credible(usage: Usage, budget: Budget | null): Usage {
  return implausible(usage, budget) === null ? usage : { usd: null, tokens: null };
}

/**
 * The cost of an invocation: its own figures, and its reservation where a figure is unknown or
 * cannot be true.
 */
export function settled(reported: Usage, reservation: Budget | null): Cost {
  const usage = credible(reported, reservation);
  return {
    usd: usage.usd ?? reservation?.usd ?? 0,
    tokens: usage.tokens ?? reservation?.tokens ?? 0,
    unpriced: usage.usd === null || usage.more === true ? 1 : 0,
  };
}

/** Whether a launch fits, must wait for reservations to end, or can never fit. */
export type Fit = 'fits' | 'later' | 'never';

function fit(limit: number | null, spent: number, reserved: number, wanted: number): Fit {
  if (limit === null || round(spent + reserved + wanted) <= limit) return 'fits';
  return reserved > 0 && round(spent + wanted) <= limit ? 'later' : 'never';
}

/** The worst of several answers. */
export function worst(all: readonly Fit[]): Fit {
  return all.includes('never') ? 'never' : all.includes('later') ? 'later' : 'fits';
}

/** True when the budget has any limit. */
export function isLimited(limit: Budget): boolean {
  return limit.usd !== null || limit.tokens !== null;
}

/** The sum of the launches' reservations. */
export interface Reservation {
  readonly usd: number;
  readonly tokens: number;
}

/** What a launch with this budget reserves. */
export function reservationOf(budget: Budget | null): Reservation {
  return { usd: budget?.usd ?? 0, tokens: budget?.tokens ?? 0 };
}

export function sumOf(reservations: readonly Reservation[]): Reservation {
  const sum = { usd: 0, tokens: 0 };
  for (const { usd, tokens } of reservations) {
    sum.usd += usd;
    sum.tokens += tokens;
  }
  return sum;
}

/** Why a launch with this budget never fits into a limit. `whose`: whose limit it is. */
export function shortageText(whose: string, limit: Budget, spent: Cost, wanted: Budget | null): string {
  const written = {
    usd: (amount: number) => `$${amount.toFixed(2)}`,
    tokens: (amount: number) => String(amount),
  };
  for (const unit of ['usd', 'tokens'] as const) {
    const most = limit[unit];
    const needed = wanted?.[unit] ?? 0;
    if (most === null || (spent[unit] < most && fit(most, spent[unit], 0, needed) === 'fits')) continue;
    const word = unit === 'tokens' ? ' tokens' : '';
    const used = `${written[unit](spent[unit])} of ${written[unit](most)}${word} are spent`;
    if (spent[unit] >= most) return `the budget of ${whose} is used up: ${used}`;
    return `the rest of the budget of ${whose} is too small: ${used}, and it may cost ${written[unit](needed)}${word}`;
  }
  return `the budget of ${whose} is used up`;
}

/** Whether one more launch with this budget fits into a limit. */
export function fits(limit: Budget, spent: Cost, reserved: Reservation, wanted: Budget | null): Fit {
  return worst([
    fit(limit.usd, spent.usd, reserved.usd, wanted?.usd ?? 0),
    fit(limit.tokens, spent.tokens, reserved.tokens, wanted?.tokens ?? 0),
  ]);
}
