import { expect, it } from 'vitest';
import { SharedSlots } from '../../src/host/slots.ts';

const first = { record: 't1', at: 1 };

it('wakes the others when the last slot is taken, and when one is released', async () => {
  const slots = new SharedSlots(2);
  const woken: string[] = [];
  const mail = slots.join('mail', () => woken.push('mail'));
  const run = slots.join('r1', () => woken.push('r1'));
  mail.uses(1, first);
  await Promise.resolve();
  expect(woken).toEqual([]);
  run.uses(1, { record: 'r1/build', at: 2 });
  await Promise.resolve();
  expect(woken).toEqual(['mail']);
  run.uses(1, { record: 'r1/build', at: 2 });
  mail.uses(0, null);
  await Promise.resolve();
  expect(woken).toEqual(['mail', 'r1']);
});

it('names everybody who shares the slots once none is free', () => {
  const slots = new SharedSlots(1);
  const mail = slots.join('mail', () => {});
  const run = slots.join('r1', () => {});
  expect(slots.taken).toBeNull();
  mail.uses(1, first);
  expect(run.allowance()).toBe(0);
  expect(slots.taken).toEqual({
    most: 1,
    uses: [
      { user: 'mail', agents: 1, first },
      { user: 'r1', agents: 0, first: null },
    ],
  });
  mail.leave();
  expect(slots.taken).toBeNull();
  expect(run.allowance()).toBe(1);
});
