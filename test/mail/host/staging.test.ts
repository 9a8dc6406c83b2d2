import { expect, it } from 'vitest';
import { Staging } from '../../../src/mail/host/staging.ts';

it('gives a file in an outbox to the turn of its role, and to none where several run', () => {
  const [first, second] = ['t1', 't2'].map((turn) => ({ turn, attempt: 1, role: 'one' }));
  const running = [first!];
  const given: string[] = [];
  const folders = {
    mask: { name: (text: string) => text },
    stage: (turn: string, _: number, { name }: { name: string }) => given.push(turn) && name,
  };
  const staging = new Staging({ folders, mailboxes: { look: () => null } } as never, () => running);
  expect(staging.stage({ role: 'one', box: 'outbox', name: 'a.md' })).toBe(true);
  running.push(second!);
  expect(staging.stage({ role: 'one', box: 'outbox', name: 'b.md' })).toBe(false);
  expect(given).toEqual(['t1']);
  for (const turn of running)
    expect(staging.last(turn, null).violations).toEqual([
      '`b.md` was written to agents/one/outbox: write to $MAILROOM_OUTBOX',
    ]);
});
