import { expect, it } from 'vitest';
import { money } from '../../src/kernel/cost.ts';
import { MailChanges } from '../../src/cli/changes.ts';
import { World } from '../mail/machine/world.ts';

/** What is said once a person, or nobody, has decided about what an agent wants to run. */
function saidAfter(decide: (world: World) => void): string[] {
  const world = new World(`
roles:
  ada: { provider: human }
  engineer: { ask: { person: user, timeout: 1h } }
messages:
  task: { from: user, to: engineer }
  done: { from: engineer, to: user, closes: true }
`);
  world.drop('user → engineer: task');
  world.asks('engineer', ['npm install']);
  world.acts();
  const changes = new MailChanges(world.state, money);
  const known = world.history.length;
  decide(world);
  world.acts();
  return changes.by(world.history.slice(known), world.state).map(({ text }) => text);
}

const answer = (verb: 'approve' | 'reject') => (world: World) =>
  world.command({ verb, target: { kind: 'turn', turn: 't1' }, comment: null }, 'user');

it.each<readonly [string, (world: World) => void]>([
  ['approved by user', answer('approve')],
  ['refused by user', answer('reject')],
  ['refused, as it was not answered in time', (world) => world.tick('1h')],
])('says that an agent continues, %s, and not that it has to correct anything', (words, decide) => {
  const said = saidAfter(decide);
  expect(said).toContain(`engineer t1 continues: ${words}`);
  expect(said.join('\n')).not.toContain('correction');
});
