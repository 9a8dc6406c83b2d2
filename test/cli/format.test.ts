import { expect, it } from 'vitest';
import { table } from '../../src/cli/format.ts';

it('sets words left and numbers right, and leaves nothing behind the last column', () => {
  expect(
    table(
      ['ROLE', 'INBOX', 'NOW'],
      [
        ['qa', '10', ''],
        ['日本', '2', 'waits'],
      ],
    ),
  ).toEqual(['ROLE  INBOX  NOW', 'qa       10', '日本      2  waits']);
});

it('takes more rows than a function may have arguments', () => {
  const rows = Array.from({ length: 200_000 }, (_none, index) => [String(index), 'x']);
  expect(table(['N', 'WHAT'], rows).at(-1)).toBe('199999  x');
});
