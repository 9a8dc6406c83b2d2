import { describe, expect, it } from 'vitest';
import { fitted } from '../../src/cli/screen.ts';

describe('what fits on a screen', () => {
  const lines = ['one', 'two', 'three'];
  it.each([
    [4, 'first', lines, 0],
    [3, 'first', ['one', 'two'], 1],
    [3, 'last', ['two', 'three'], 1],
    [2, 'last', ['three'], 2],
    [1, 'first', ['one'], 2],
  ] as const)('is counted in %i rows, the %s lines', (rows, keeps, shown, hidden) => {
    expect(fitted(lines, { columns: 10, rows }, keeps)).toEqual({ shown, hidden });
  });

  it('counts the rows that a line takes which is not broken', () => {
    expect(fitted(['x'.repeat(21), 'two'], { columns: 10, rows: 4 }, 'first')).toEqual({
      shown: ['x'.repeat(21)],
      hidden: 1,
    });
  });
});
