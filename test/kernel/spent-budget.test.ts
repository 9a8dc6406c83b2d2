import { expect, it } from 'vitest';
import { BudgetAlert, spentBudgets } from '../../src/kernel/spent-budget.ts';

function spent(
  usd: number | null,
  tokens: number | null,
  cost: { usd: number; tokens: number },
  share = 0.8,
) {
  return spentBudgets({ usd, tokens }, { ...cost, unpriced: 0 }, share).map(
    ({ unit, limit, share: part, text }) => `${unit} ${String(limit)}: ${part}, ${text}`,
  );
}

it('names the units of which the share is spent, and how much', () => {
  expect(spent(5, null, { usd: 3.99, tokens: 9 })).toEqual([]);
  expect(spent(5, null, { usd: 4, tokens: 9 })).toEqual(['usd 5: 80 %, $4.00 of $5.00']);
  expect(spent(5, 1000, { usd: 4.999, tokens: 1200 })).toEqual([
    'usd 5: 99 %, $5.00 of $5.00',
    'tokens 1000: 120 %, 1200 of 1000 tokens',
  ]);
  expect(spent(5, 1000, { usd: 1, tokens: 1000 }, 1)).toEqual(['tokens 1000: 100 %, 1000 of 1000 tokens']);
});

it('warns of no budget of which nothing is spent', () => {
  expect(spent(null, null, { usd: 9, tokens: 9 })).toEqual([]);
  expect(spent(0, 0, { usd: 0, tokens: 0 })).toEqual([]);
  expect(spent(0, null, { usd: 0.01, tokens: 0 })).toEqual(['usd 0: 100 %, $0.01 of $0.00']);
});

it('alerts after each cost, of no share of none, and again where an alert failed', () => {
  const seen: string[] = [];
  let fails = true;
  const alert = (usd: number) => () => [
    {
      budget: { usd: 5, tokens: null },
      spent: { usd, tokens: 0, unpriced: 0 },
      alert: ({ text }: { readonly text: string }) => {
        if (fails) throw new Error('no space left on device');
        seen.push(text);
      },
    },
  ];
  const costs = {};
  const alerts = new BudgetAlert(0.8);
  expect(() => alerts.look(costs, alert(4))).toThrow('no space left');
  fails = false;
  alerts.look(costs, alert(4));
  alerts.look(costs, alert(4));
  alerts.look({}, alert(5));
  new BudgetAlert(null).look({}, alert(5));
  expect(seen).toEqual(['$4.00 of $5.00', '$5.00 of $5.00']);
});
