import { describe, expect, it } from 'vitest';
import { atMost, costOf, priceOf, type Price } from '../../src/kernel/price.ts';

const price = (input: number): Price => ({ input, cached: input / 10, output: input * 5 });
const list = new Map([
  ['gpt-5', price(1)],
  ['gpt-5-mini', price(2)],
  ['gpt-5.5', price(3)],
  ['claude-opus-4', price(4)],
  ['claude-opus-4-5', price(5)],
  ['gemini-2.5-pro', price(6)],
  ['gemini-3-pro', price(7)],
  ['gemini-3-pro-preview', price(8)],
]);

describe('the price of a model', () => {
  it.each([
    ['gpt-5', 1],
    ['GPT-5', 1],
    ['gpt-5-mini', 2],
    ['gpt-5-mini-2026-04-01', 2],
    ['gpt-5-2026-04-01', 1],
    ['gpt-5.5', 3],
    ['openrouter/openai/gpt-5.5', 3],
    ['claude-opus-4-5-20251101', 5],
    ['claude-opus-4-5@20251101', 5],
    ['claude-opus-4-5[1m]', 5],
    ['gemini-2.5-pro-001', 6],
    ['gemini-3-pro-001', 7],
    ['gemini-3-pro-preview-05-06', 8],
    ['gemini-2.5-pro-preview-customtools', 6],
    ['claude-opus-4-20250514', 4],
    ['eu.anthropic.claude-opus-4-5-20251101-v1:0', 5],
    ['models/gemini-2.5-pro-preview-05-06', 6],
  ])('%s', (model, input) => {
    expect(priceOf(list, model)?.input).toBe(input);
  });

  it.each([
    'gpt-5-pro',
    'gpt-5-codex',
    'gemini-2.5-pro-tts',
    'gpt-5.9',
    'gpt-55',
    'claude-opus-4-9',
    'gpt',
    'my-gpt-5',
    '',
    null,
  ])('is not known, nor guessed, of %s', (model) => {
    expect(priceOf(list, model)).toBe(null);
  });
});

it('counts cached input at its own price', () => {
  expect(costOf({ input: 1e6, cached: 1e6, output: 1e6 }, { input: 2, cached: 0.5, output: 10 })).toBe(12.5);
});

it('counts input that is put into a cache at its own price, else as other input', () => {
  const count = { input: 1e6, cached: 0, written: 1e6, output: 0 };
  expect(costOf(count, { input: 2, written: 2.5, output: 10 })).toBe(4.5);
  expect(costOf(count, { input: 2, output: 10 })).toBe(4);
  const long = { above: 1.5e6, input: 4, written: 5, output: 20 };
  expect(costOf(count, { input: 2, written: 2.5, output: 10, long })).toBe(9);
  expect(atMost(1e6, { input: 2, written: 12.5, output: 10 })).toBe(12.5);
});

it('counts input that is cached for an hour as twice the input, where caching has a price', () => {
  const count = { input: 1e6, cached: 0, written: 3e6, hourly: 1e6, output: 0 };
  // 1 million at $2, 2 at $2.5 and 1 at $4.
  expect(costOf(count, { input: 2, written: 2.5, output: 10 })).toBe(11);
  expect(costOf(count, { input: 2, output: 10 })).toBe(8);
  // No more is kept than was put there.
  expect(costOf({ ...count, hourly: 9e6 }, { input: 2, written: 2.5, output: 10 })).toBe(14);
  expect(atMost(1e6, { input: 2, written: 2.5, output: 3 })).toBe(4);
});

it('does not know what cached input costs where the vendor names no price for it', () => {
  const pro: Price = { input: 30, output: 180 };
  expect(costOf({ input: 1e6, cached: 0, output: 1e6 }, pro)).toBe(210);
  expect(costOf({ input: 1e6, cached: 1, output: 1e6 }, pro)).toBe(null);
});

it('counts every token of a request with more input than the bound, cached too, at the price of long ones', () => {
  const long = { above: 200_000, input: 4, cached: 0.4, output: 18 };
  const tiered: Price = { input: 2, cached: 0.2, output: 12, long };
  expect(costOf({ input: 100_000, cached: 100_000, output: 1000 }, tiered)).toBeCloseTo(0.232, 9);
  expect(costOf({ input: 100_000, cached: 100_001, output: 1000 }, tiered)).toBeCloseTo(0.4580004, 9);
});

it('takes the most expensive price for the most that tokens can cost, of long requests where so many can be one', () => {
  expect(atMost(2e6, { input: 2, cached: 0.5, output: 10 })).toBe(20);
  const tiered: Price = { input: 2, output: 12, long: { above: 200_000, input: 4, output: 18 } };
  expect([200_000, 1e6].map((tokens) => atMost(tokens, tiered))).toEqual([2.4, 18]);
});
