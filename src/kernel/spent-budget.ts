import type { Budget, Cost } from './cost.ts';

/** A budget of dollars or tokens of which a share is spent. */
interface SpentBudget {
  readonly unit: 'usd' | 'tokens';
  readonly limit: number;
  /** `82 %`, rounded down. */
  readonly share: string;
  /** `$4.10 of $5.00`, `410000 of 500000 tokens`. */
  readonly text: string;
}

/** The units of a budget of which at least this share, above 0, is spent. */
export function spentBudgets({ usd, tokens }: Budget, spent: Cost, share: number): SpentBudget[] {
  const isSpent = (of: number, limit: number) => of > 0 && of >= limit * share;
  const percent = (of: number, limit: number) =>
    `${String(limit === 0 ? 100 : Math.floor((of / limit) * 100))} %`;
  const dollars =
    usd === null || !isSpent(spent.usd, usd)
      ? []
      : [
          {
            unit: 'usd',
            limit: usd,
            share: percent(spent.usd, usd),
            text: `$${spent.usd.toFixed(2)} of $${usd.toFixed(2)}`,
          } as const,
        ];
  if (tokens === null || !isSpent(spent.tokens, tokens)) return dollars;
  const text = `${String(spent.tokens)} of ${String(tokens)} tokens`;
  return [...dollars, { unit: 'tokens', limit: tokens, share: percent(spent.tokens, tokens), text }];
}

/** A budget, what is spent of it, and what is done for each unit of which the share is spent. */
export interface WatchedBudget {
  readonly budget: Budget;
  readonly spent: Cost;
  readonly alert: (part: SpentBudget) => void;
}

/** Alerts of budgets of which a share is spent. Null: of none. */
export class BudgetAlert {
  readonly #share: number | null;
  #seen: object | null = null;

  constructor(share: number | null) {
    this.#share = share;
  }

  /** `costs`: a new object with every cost. What throws is tried again at the next look. */
  look(costs: object, watched: () => readonly WatchedBudget[]): void {
    if (this.#share === null || costs === this.#seen) return;
    for (const { budget, spent, alert } of watched())
      for (const part of spentBudgets(budget, spent, this.#share)) alert(part);
    this.#seen = costs;
  }
}
