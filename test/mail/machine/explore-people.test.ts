import { expect, it } from 'vitest';
import { explore } from '../../../src/mail/machine/explore/explore.ts';
import { admit } from '../../../src/mail/machine/rules/admit.ts';
import { written } from './texts.ts';
import { World } from './world.ts';

const bounds = { threads: 1, depth: 20, states: 400, moves: 10_000 };

/** An owner that hands out two parts in turn, of which only one comes back to the join. */
const owned = (from: string) => `
roles:
  owner: { provider: human }
  backend: {}
  frontend: {}
  integrator: { expects: [{ all: [backend-done, frontend-done] }] }
messages:
  part: { from: [${from}], to: [backend, frontend] }
  backend-done: { from: [backend], to: [integrator] }
  frontend-done: { from: [frontend], to: [integrator] }
  delivered: { from: [integrator], to: [user], closes: true }
`;

it.each(['user', 'owner'])('finds the same where %s begins', (from) => {
  const { states, stuck } = explore(new World(owned(from)).protocol, bounds);
  expect(states).toBeGreaterThan(0);
  expect(stuck.map(({ why }) => why)).toEqual([
    'backend-done for integrator is never picked up: the messages that it waits for never come',
    'frontend-done for integrator is never picked up: the messages that it waits for never come',
  ]);
});

it('has a plain file come from the person who may write there, where user must not', () => {
  const world = new World(
    'roles: { owner: { provider: human }, dev: {} }\n' +
      'messages: { part: { from: [owner], to: [dev] }, done: { from: [dev], to: [owner], closes: true } }\n',
  );
  const plain = {
    ...written('→ : task').draft,
    type: null,
    subject: null,
    frontMatter: false,
    body: 'Hello',
  };
  const drop = { role: 'dev', box: 'inbox', id: 'm', created: 0 } as const;
  const addressed = admit(world.state, world.protocol, drop, plain);
  expect(addressed).toMatchObject({ sent: { message: { from: 'owner', type: 'part' } } });
});
