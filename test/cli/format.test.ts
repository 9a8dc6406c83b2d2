import { expect, it } from 'vitest';
import { table, whyWords } from '../../src/cli/format.ts';

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

it('a reason that ends in a question has no comma before its end', () => {
  const now = Date.parse('2026-11-21T12:00:00Z');
  const why = {
    code: 'waiting_for_user',
    cause: null,
    until: '2026-11-21T13:00:00Z',
    command: null,
  } as const;
  expect(whyWords({ ...why, reason: 'it asks: Ship it?' }, now)[0]).toMatch(
    /^it asks: Ship it\? until \d\d:00$/,
  );
  expect(whyWords({ ...why, reason: 'qa is paused' }, now)[0]).toMatch(/^qa is paused, until \d\d:00$/);
});
