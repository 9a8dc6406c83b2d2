import { expect, it } from 'vitest';
import table from '../../src/providers/price-table.json' with { type: 'json' };
import { builtInPrices } from '../../src/providers/prices.ts';

it('names the page and the day of what it says', () => {
  for (const { vendor, page, date } of table.sources) {
    expect(vendor).toMatch(/^(Anthropic|OpenAI|Google)$/);
    expect(page).toMatch(/^https:\/\/\S+$/);
    expect(new Date(`${date}T00:00:00Z`).toISOString().slice(0, 10)).toBe(date);
  }
  const vendors = new Set(table.sources.map(({ vendor }) => vendor));
  expect([...vendors].toSorted()).toEqual(['Anthropic', 'Google', 'OpenAI']);
});

it('has what Anthropic takes for input that it caches: 1.25 times that of other input', () => {
  const factors = [...builtInPrices].flatMap(([name, { long, ...short }]) =>
    name.startsWith('claude-')
      ? [short, long].map((rates) => rates && (rates.written ?? 0) / rates.input)
      : [],
  );
  expect(new Set(factors)).toEqual(new Set([1.25, undefined]));
});

it('has prices as vendors make them: cached input is the cheapest, output the most expensive, long requests cost more', () => {
  const isUnlikely = ({ input, cached = 0, output }: { input: number; cached?: number; output: number }) =>
    !(cached < input && input < output);
  const wrong = [...builtInPrices].filter(([, price]) => {
    const { long } = price;
    return isUnlikely(price) || (long !== undefined && (isUnlikely(long) || long.input <= price.input));
  });
  expect(wrong).toEqual([]);
});
