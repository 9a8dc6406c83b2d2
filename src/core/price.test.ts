import { describe, expect, it } from 'vitest';
import { atMost, costOf, priceOf, type Price } from './price.ts';

const price = (input: number): Price => ({ input, cached: input / 10, output: input * 5 });
const list = new Map([
  ['gpt-5', price(1)],
  ['gpt-5-mini', price(2)],
  ['gpt-5.5', price(3)],
  ['claude-opus-4', price(4)],
  ['claude-opus-4-5', price(5)],
  ['gemini-2.5-pro', price(6)],
]);

describe('the price of a model', () => {
  it.each([
    ['gpt-5', 1],
    ['GPT-5', 1],
    ['gpt-5-mini', 2],
    ['gpt-5-mini-2026-04-01', 2],
    ['gpt-5-2026-04-01', 1],
    ['gpt-5-codex', 1],
    ['gpt-5.5', 3],
    ['openrouter/openai/gpt-5.5', 3],
    ['claude-opus-4-5-20251101', 5],
    ['claude-opus-4-5@20251101', 5],
    ['claude-opus-4-5[1m]', 5],
    ['claude-opus-4-20250514', 4],
    ['eu.anthropic.claude-opus-4-5-20251101-v1:0', 5],
    ['models/gemini-2.5-pro-preview-05-06', 6],
  ])('%s', (model, input) => {
    expect(priceOf(list, model)?.input).toBe(input);
  });

  it.each(['gpt-5.9', 'gpt-55', 'claude-opus-4-9', 'gpt', 'my-gpt-5', '', null])(
    'is not known, nor guessed, of %s',
    (model) => {
      expect(priceOf(list, model)).toBe(null);
    },
  );
});

it('counts cached input at its own price', () => {
  expect(costOf({ input: 1e6, cached: 1e6, output: 1e6 }, { input: 2, cached: 0.5, output: 10 })).toBe(12.5);
});

it('takes the dearest price for the most that tokens can cost', () => {
  expect(atMost(2e6, { input: 2, cached: 0.5, output: 10 })).toBe(20);
});
