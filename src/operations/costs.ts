import type { Bill } from '../kernel/cost.ts';
import { addCost } from '../mail/machine/money.ts';
import { nothing, type Cost, type MailState } from '../mail/machine/state.ts';
import type { RunState } from '../workflow/machine/state.ts';
import type { ThreadId } from '../kernel/ids.ts';

/** The keys by which costs are grouped. */
export const costKinds = ['role', 'thread', 'run', 'step', 'provider', 'day'] as const;
export type CostKind = (typeof costKinds)[number];

/** Costs, grouped by one key. Dollars; `unpriced` counts launches settled at their reservation. */
export interface CostsDocument {
  readonly schema: 1;
  readonly by: CostKind;
  /** The first day that counts, in UTC; null: all. */
  readonly since: string | null;
  /** The most expensive first; days in chronological order. */
  readonly rows: readonly CostsRow[];
  readonly total: CostsSum;
}

export interface CostsSum {
  readonly launches: number;
  readonly cost: Cost;
}

interface CostsRow extends CostsSum {
  /**
   * Null: no such name, as for a step without a role, or mail without a run; or a forgotten thread.
   */
  readonly name: string | null;
}

export function costsOf(
  mail: MailState,
  runs: readonly RunState[],
  by: CostKind,
  since: string | null,
): CostsDocument {
  const sums = new Map<string | null, CostsSum>();
  let total: CostsSum = { launches: 0, cost: nothing };
  for (const { bill, thread } of billsOf(mail, runs)) {
    if (since !== null && bill.day < since) continue;
    const name = nameOf(bill, thread, by);
    sums.set(name, sum(sums.get(name), bill));
    total = sum(total, bill);
  }
  const rows = [...sums].map(([name, each]) => ({ name, ...each }));
  rows.sort((a, b) => (by === 'day' ? byName(a, b) : byCost(a, b) || byName(a, b)));
  return { schema: 1, by, since, rows, total };
}

/** Each launch once: a role's launch for a step is in the mail, although the run also counts it. */
function* billsOf(
  { bills }: MailState,
  runs: readonly RunState[],
): Generator<{ readonly bill: Bill; readonly thread: ThreadId | null }> {
  for (const [thread, each] of bills)
    for (const bill of each.values()) yield { bill, thread: thread === '' ? null : thread };
  for (const run of runs) for (const bill of run.bills.values()) yield { bill, thread: null };
}

function nameOf(bill: Bill, thread: ThreadId | null, by: CostKind): string | null {
  return by === 'thread' ? thread : bill[by];
}

function sum(before: CostsSum | undefined, { launches, cost }: Bill): CostsSum {
  if (before === undefined) return { launches, cost };
  return { launches: before.launches + launches, cost: addCost(before.cost, cost) };
}

/** Rows without a price are ordered by tokens. */
function byCost({ cost: a }: CostsRow, { cost: b }: CostsRow): number {
  return b.usd - a.usd || b.tokens - a.tokens;
}

function byName(a: CostsRow, b: CostsRow): number {
  return (a.name ?? '') < (b.name ?? '') ? -1 : 1;
}
