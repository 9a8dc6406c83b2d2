import type { JsonObject } from '../../kernel/json.ts';
import type { Cost, Budget, Usage } from '../../kernel/cost.ts';
import { isIn } from './fold/steps.ts';
import type { RunState } from './state.ts';

/*
 * Money in the currency of the run, as whole numbers of its units: amounts are reserved and settled
 * exactly, and quotients are rounded down.
 */

/** Larger amounts are not exact whole numbers. */
const largest = Number.MAX_SAFE_INTEGER;

/** Dollars at a rate, rounded up; exact, whatever their binary representation. */
export function unitsOf(usd: number, perUsd: number): number {
  const [, whole = '0', part = '', power = '0'] =
    /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(usd)) ?? [];
  const exponent = Number(power) - part.length;
  const amount = BigInt(whole + part) * BigInt(perUsd);
  // Any amount below the smallest unit is one unit.
  if (exponent < -400) return amount === 0n ? 0 : 1;
  const units = exponent >= 0 ? amount * 10n ** BigInt(exponent) : ceil(amount, 10n ** BigInt(-exponent));
  return units > BigInt(largest) ? largest : Number(units);
}

function ceil(amount: bigint, by: bigint): bigint {
  return (amount + by - 1n) / by;
}

/**
 * The share of one launch of what is left, when `open` launches get the same; at least one if
 * any is left.
 */
export function allocation(left: number, open: number, cap: number | null): number {
  const some = Math.max(0, left);
  const each = Math.max(Math.min(1, some), (some - (some % Math.max(1, open))) / Math.max(1, open));
  return cap === null ? each : Math.min(each, cap);
}

/**
 * What an ended launch adds to `cost`: its reported usage at the run's rate, else its reservation,
 * marked as unpriced. Without a rate and a reservation the amount is unknown.
 */
export function settledUnits(cost: Cost, usage: Usage, reserves: Budget | null, perUsd: number | null): Cost {
  if (usage.usd !== null && perUsd !== null) return { ...cost, units: unitsOf(usage.usd, perUsd) };
  if (reserves?.units === undefined) return cost;
  return { ...cost, units: reserves.units, unpriced: 1 };
}

/** The sum of two amounts, capped at the largest exact one. */
function sum(a: number, b: number): number {
  return Math.min(largest, a + b);
}

export interface Credit {
  readonly currency: string;
  readonly total: number;
  readonly spent: number;
  readonly reserved: number;
}

/** The budget of a run in its currency, and its use; null: it has none. */
export function creditOf(state: RunState): Credit | null {
  const { currency, budget } = state.given ?? {};
  const total = budget?.units;
  if (currency == null || total === undefined) return null;
  let reserved = 0;
  for (const path of state.active) {
    const run = state.steps.get(path);
    if (isIn(run, 'running', 'checking')) reserved = sum(reserved, run.phase.reserves?.units ?? 0);
  }
  return { currency: currency.name, total, spent: state.cost.units ?? 0, reserved };
}

/** A cost in documents, with the name of the run's currency. */
export function costDocument({ given }: RunState, { usd, tokens, unpriced, units }: Cost): JsonObject {
  const name = given?.currency?.name;
  return { usd, tokens, unpriced, ...(units === undefined || name === undefined ? {} : { [name]: units }) };
}
