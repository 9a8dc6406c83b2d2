import { describe, expect, it, onTestFinished } from 'vitest';
import { forbidden, letter } from '../providers/provider-contract.ts';
import { TurnFixture } from '../providers/turns.ts';
import { attempt, type Row } from './support/attempts.ts';
import { opencode } from './support/clis.ts';
import { Model } from './support/model.ts';
import { realPlayer, Setting } from './support/players.ts';

// The slowest of the CLIs has the smallest part: how it retries is in retries.test.ts, the rest is played from recordings.
const player = realPlayer(opencode);

it('opencode continues when a tool is refused, writes its mail, and counts a resumed conversation by what it went on by', async () => {
  const model = await Model.start();
  onTestFinished(() => model.stop());
  const place = new TurnFixture(onTestFinished);
  const setting = new Setting(opencode, place, model);
  const turn = setting.turn(['READ']);
  const write = (path: string) => ({ say: 'I write.', tools: [opencode.write(path, letter)] });
  model.says(write(forbidden(place)), write(`${turn.paths.outbox}/answer.md`), { say: 'Done.' });
  const first = await setting.run(turn);
  if (first.outcome.is !== 'done') throw new Error(first.outcome.reason.text);
  expect(first).toMatchObject({ staged: { 'answer.md': letter }, outcome: { usage: { tokens: 3150 } } });
  expect(first.outcome.denials).toEqual(player.denials(forbidden(place)));
  expect(place.has('denied.txt')).toBe(false);
  const { session } = first.outcome;
  model.says({ say: 'Hello.' });
  const second = await setting.run(setting.turn(['READ'], session));
  expect(second.outcome).toMatchObject({ is: 'done', text: 'Hello.', usage: player.usage });
  expect(second.outcome).toMatchObject({ session: { id: session?.id, tokens: 4200 } });
});

it('opencode is ended with its tools when it is deaf to TERM', async () => {
  const { outcome, left } = await player.play(new TurnFixture(onTestFinished), 'is deaf to TERM');
  expect(outcome).toMatchObject({ is: 'later', class: 'RETRYABLE_TRANSIENT' });
  expect(left).toEqual([]);
});

it('opencode is not tried again without a key', async () => {
  const { outcome } = await player.play(new TurnFixture(onTestFinished), 'is answered 401');
  expect(outcome).toMatchObject({
    is: 'never',
    reason: { text: expect.stringContaining('opencode auth login') },
  });
});

// Each start of it takes many seconds, so that it has no row in which nothing is denied or allowed that no other row shows.
describe('opencode', () => {
  it.each<Row>([
    [['READ'], ['mail']],
    [
      ['READ', 'EDIT', 'RUN_TESTS'],
      ['mail', 'edit', 'test', 'redirect'],
    ],
    // What its shell may do outside it lets its tools do, too.
    [
      ['READ', 'RUN_COMMANDS'],
      ['mail', 'edit', 'test', 'chain', 'redirect', 'file', 'run', 'outside'],
    ],
  ])('with %j does %j and nothing else', async (capabilities, done) => {
    expect(await attempt(opencode, capabilities)).toEqual(done);
  });
});
