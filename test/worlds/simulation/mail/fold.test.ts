import { describe, expect, it } from 'vitest';
import { foldsTo, type Change } from './fold.ts';

const made = new Map<string, Change>(
  Object.entries({
    a1: { branch: 'one', file: 'a', after: new Set<string>() },
    a2: { branch: 'two', file: 'a', after: new Set(['a1']) },
    a3: { branch: 'three', file: 'a', after: new Set<string>() },
    b1: { branch: 'three', file: 'b', after: new Set(['a3']) },
    b2: { branch: 'one', file: 'b', after: new Set(['a1']) },
    b3: { branch: 'four', file: 'b', after: new Set<string>() },
    a4: { branch: 'four', file: 'a', after: new Set(['b3']) },
  }),
);
const folds = (changes: string, tree: Readonly<Record<string, string>>) =>
  foldsTo(new Set(changes.split(' ')), new Map(Object.entries(tree)), made);

describe('what a branch has, as the fold of all changes in some order', () => {
  it('is what the last of each file says, where they are ordered', () => {
    expect(folds('a1 a2', { a: 'a2' })).toBe(true);
    expect(folds('a2 a3 a1', { a: 'a3' })).toBe(true);
    expect(folds('a1 a3 b1 b2', { a: 'a1', b: 'b2' })).toBe(true);
  });

  it('is not what was replaced by who had seen it', () => {
    expect(folds('a1 a2', { a: 'a1' })).toBe(false);
  });

  it('is no file of nobody, and none that a change is missing from', () => {
    expect(folds('a1 b2', { a: 'a1' })).toBe(false);
    expect(folds('a1', { a: 'a2' })).toBe(false);
  });

  it('is not two files that no one order leads to', () => {
    // One role has changed a and then b, another b and then a: the first change of both cannot win.
    expect(folds('a1 b2 b3 a4', { a: 'a4', b: 'b2' })).toBe(true);
    expect(folds('a1 b2 b3 a4', { a: 'a1', b: 'b3' })).toBe(false);
  });
});
