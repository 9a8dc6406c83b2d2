import { describe, expect, it } from 'vitest';
import { addCost, credible, fits, implausible, noCost, settled } from '../../src/kernel/money.ts';
import { money, type Cost, type Usage } from '../../src/kernel/cost.ts';

const unknown = { usd: null, tokens: null };
const budget = { usd: 0.4, tokens: 1000 };

describe('what a launch reports that it used', () => {
  it.each<readonly [string, Usage, typeof budget | null]>([
    ['more dollars than any launch', { usd: 1e308, tokens: 1 }, null],
    ['more tokens than any launch', { usd: 0.3, tokens: 1e300 }, null],
    ['infinite dollars', { usd: Infinity, tokens: 1 }, null],
    ['no number', { usd: NaN, tokens: 1 }, null],
    ['no number of tokens', { usd: 0.3, tokens: NaN }, null],
    ['less than nothing', { usd: -0.01, tokens: 1 }, null],
    ['less than no tokens', { usd: 0.3, tokens: -1 }, null],
    ['over a thousand times its budget', { usd: 400.01, tokens: 1 }, budget],
    ['over a thousand times its tokens', { usd: 0.3, tokens: 1_000_001 }, budget],
  ])('%s: nothing of it counts', (_, usage, limit) => {
    expect(credible(usage, limit)).toEqual(unknown);
    expect(implausible(usage, limit)).toMatch(/\w/);
    expect(settled(usage, limit)).toEqual({ usd: limit?.usd ?? 0, tokens: limit?.tokens ?? 0, unpriced: 1 });
  });

  it.each<readonly [Usage, typeof budget | null]>([
    [unknown, budget],
    [{ usd: 0, tokens: 0 }, budget],
    [{ usd: 400, tokens: 1_000_000 }, budget],
    [{ usd: 999_999, tokens: 1e12 }, null],
    // What a budget of nothing let through before it was noticed still counts.
    [
      { usd: 5, tokens: 20_000 },
      { usd: 0, tokens: 0 },
    ],
    [{ usd: null, tokens: 7 }, null],
  ])('%j with the budget %j counts as it is', (usage, limit) => {
    expect(implausible(usage, limit)).toBeNull();
    expect(credible(usage, limit)).toEqual(usage);
  });

  it('is said in words that name the figure and its bound', () => {
    expect([
      implausible({ usd: 1e308, tokens: 1 }, budget),
      implausible({ usd: 1e308, tokens: 1 }, null),
      implausible({ usd: null, tokens: 1e300 }, null),
      implausible({ usd: -1, tokens: null }, null),
      implausible({ usd: null, tokens: NaN }, null),
    ]).toEqual([
      '1e+308 dollars, more than 1000 times its budget',
      '1e+308 dollars, more than a launch can use',
      '1e+300 tokens, more than a launch can use',
      '-1 dollars, less than nothing',
      'tokens that are no number, or are given twice',
    ]);
  });
});

describe('sums of costs', () => {
  const huge: Cost = { usd: 1e308, tokens: 1e300, unpriced: 0 };

  it('never overflow, however long they grow', () => {
    let sum = noCost;
    for (let index = 0; index < 1000; index += 1) sum = addCost(sum, huge);
    expect(Number.isFinite(sum.usd) && Number.isSafeInteger(sum.tokens)).toBe(true);
    expect(addCost(sum, noCost)).toEqual(sum);
    expect(money(sum)).not.toMatch(/Infinity|NaN/);
  });

  it('let a launch fit into a budget that is too large to be rounded', () => {
    expect(
      fits({ usd: 1e308, tokens: null }, noCost, { usd: 0, tokens: 0 }, { usd: 1e300, tokens: null }),
    ).toBe('fits');
  });
});
