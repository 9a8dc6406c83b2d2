import { expect, it } from 'vitest';
import { firstOf } from '../../src/kernel/enumerate.ts';

it('names the first of very many, and counts the others', () => {
  const names = (count: number) => Array.from({ length: count }, (_none, index) => `f${String(index)}`);
  expect(firstOf(names(2))).toBe('f0, f1');
  expect(firstOf(names(10))).not.toContain('more');
  expect(firstOf(names(500), 2)).toBe('f0, f1 and 498 more');
});
