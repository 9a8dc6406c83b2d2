import { expect, it, onTestFinished } from 'vitest';
import { forbidden, letter } from '../contract/provider-contract.ts';
import { Workplace } from '../contract/turns.ts';
import { opencode } from './support/clis.ts';
import { realPlayer } from './support/players.ts';

// The slowest of the CLIs has the smallest part: its rights are in rights.test.ts, the rest is played from recordings.
const player = realPlayer(opencode);

it('opencode writes mail, and counts a resumed conversation by what it went on by', async () => {
  const place = new Workplace(onTestFinished);
  const first = await player.play(place, 'writes mail');
  if (first.outcome.is !== 'done') throw new Error(first.outcome.reason.text);
  expect(first.staged).toEqual({ 'answer.md': letter });
  const { session } = first.outcome;
  const second = await player.play(place, 'answers', session);
  expect(second.outcome).toMatchObject({ is: 'done', text: 'Hello.', usage: player.usage });
  expect(second.outcome).toMatchObject({
    session: { id: session?.id, tokens: (session?.tokens ?? 0) + 1050 },
  });
});

it('opencode goes on when a tool is refused, and says which', async () => {
  const place = new Workplace(onTestFinished);
  const { outcome } = await player.play(place, 'is refused a tool');
  expect(outcome).toMatchObject({ is: 'done', denials: player.denials(forbidden(place)) });
  expect(place.has('denied.txt')).toBe(false);
});

it('opencode is ended with its tools when it is deaf to TERM', async () => {
  const { outcome, left } = await player.play(new Workplace(onTestFinished), 'is deaf to TERM');
  expect(outcome).toMatchObject({ is: 'later', class: 'RETRYABLE_TRANSIENT' });
  expect(left).toEqual([]);
});

it('opencode is not tried again without a key', async () => {
  const { outcome } = await player.play(new Workplace(onTestFinished), 'is answered 401');
  expect(outcome).toMatchObject({
    is: 'never',
    reason: { text: expect.stringContaining('opencode auth login') },
  });
});
