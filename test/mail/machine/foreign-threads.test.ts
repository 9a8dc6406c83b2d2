import { expect, it } from 'vitest';
import { admit } from '../../../src/mail/machine/rules/admit.ts';
import { team } from './protocols.ts';
import { written } from './texts.ts';
import { World } from './world.ts';

it('a file in an outbox must not close a thread that its role has no part in', () => {
  const world = new World(team);
  world.drop('user → architect: task');
  world.turn('architect', ['→ engineer: design']);
  world.drop('user → architect: task');
  const closing = (thread: string) => {
    const drop = { role: 'engineer', box: 'outbox', id: 'new', created: world.now } as const;
    return admit(world.state, world.protocol, drop, written(`→ user: delivered in ${thread}`).draft);
  };
  expect(closing('task2')).toEqual({
    problems: ['engineer has sent and received nothing in the thread task2, and must not close it'],
  });
  expect(closing('task')).toHaveProperty('sent.message.thread', 'task');
});
