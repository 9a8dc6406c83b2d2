import { expect, test } from 'vitest';
import { asTree, indent } from '../../src/kernel/thread-tree.ts';

test('threads stand in their order, each followed by its sub-threads', () => {
  const threads = [
    { id: 'b1', parent: 'b' },
    { id: 'a', parent: null },
    { id: 'b', parent: null },
    { id: 'b11', parent: 'b1' },
    { id: 'b2', parent: 'b' },
    { id: 'c1', parent: 'c' },
  ];
  expect(asTree(threads).map(({ thread, depth }) => `${indent(depth)}${thread.id}`)).toEqual([
    'a',
    'b',
    '└ b1',
    '  └ b11',
    '└ b2',
    'c1',
  ]);
});
