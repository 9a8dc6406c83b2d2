import { expect, it } from 'vitest';
import type { NostrEvent } from '../../../../src/extensions/nip/letters/nostr-event.ts';
import { publishedStatusOf } from '../../../../src/extensions/nip/nostr/published-status.ts';

function event(pubkey: string, kind: number, at: number, content: string, ...tags: string[][]): NostrEvent {
  const all = [['e', 'asked', '', 'execution'], ['d', 'theirs'], ...tags];
  return { id: `${kind}${at}`, pubkey, sig: 's', kind, created_at: at, content, tags: all };
}

const status = (by: string, at: number, word: string, done: string, ...more: string[][]) =>
  event(
    by,
    7_920,
    at,
    word === 'failed' ? 'it broke' : '',
    ['status', word],
    ['progress', done, '3'],
    ...more,
  );

it('is what the last status of an author says, and what the steps have made', () => {
  const events = [
    status('a', 12, 'completed', '3', ['cost', '2000']),
    status('a', 12, 'running', '3'),
    status('a', 11, 'running', '1', ['step', 'count']),
    event('a', 6_920, 11, '{"words":2}', ['step', 'count'], ['output', 'size'], ['status', 'completed']),
    event('a', 6_920, 12, '2 words', ['step', 'report'], ['output', 'report'], ['status', 'completed']),
    event('a', 6_920, 12, 'no', ['step', 'other'], ['output', 'other'], ['status', 'skipped']),
  ];
  expect(publishedStatusOf(events)).toEqual([
    {
      executionId: 'theirs',
      status: 'completed',
      outputs: { size: { words: 2 }, report: '2 words' },
      stepsCompleted: 2,
      progress: { completed: 3, total: 3 },
      currentStep: null,
      totalCost: 2_000,
      message: '',
      reportedBy: 'a',
      reportedAt: '1970-01-01T00:00:12.000Z',
    },
  ]);
  expect(publishedStatusOf(events.slice(2))).toMatchObject([{ status: 'running', currentStep: 'count' }]);
});

it('is reported by each author apart, the latest first, and what says nothing counts for nothing', () => {
  const told = publishedStatusOf([
    status('a', 5, 'failed', '1'),
    status('b', 7, 'running', 'many', ['cost', '-1']),
    status('c', 9, 'finished', '3'),
    event('d', 6_920, 9, 'x', ['output', 'o'], ['status', 'completed']),
  ]);
  expect(told).toMatchObject([
    { reportedBy: 'b', status: 'running', progress: { completed: 0, total: 3 }, totalCost: 0 },
    { reportedBy: 'a', status: 'failed', message: 'it broke' },
  ]);
});
