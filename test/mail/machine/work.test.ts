import { describe, expect, it } from 'vitest';
import { enteringOf } from '../../../src/mail/machine/rules/work.ts';
import { World } from './world.ts';

const team = `
workspace: { worktree: role }
roles:
  lead: { capabilities: [READ] }
  left: { capabilities: [READ, EDIT] }
  right: { capabilities: [READ, EDIT] }
  checker: { capabilities: [READ] }
messages:
  task: { from: user, to: [lead, left] }
  build: { from: lead, to: { all: [left, right] } }
  made: { from: left, to: checker }
  done: { from: [left, right], to: checker, gates: [{ run: [test] }] }
  also: { from: right, to: checker }
expects:
  checker: [{ all: [made, also] }, { any: [done] }]
`;

/** What the checkout of a role's running turn must contain. */
function takes(world: World, role: string) {
  const entering = enteringOf(world.state, world.protocol, world.running(role));
  return entering?.takes?.map(({ commit, from }) => `${commit} of ${from}`) ?? null;
}

/** The commit of each message, by its name. */
function commits(world: World): Record<string, string | null> {
  return Object.fromEntries(
    [...world.state.mail.values()].map(({ message }) => [message.id, message.work?.commit ?? null]),
  );
}

/** Both engineers work, at the same time. */
function building(): World {
  const world = new World(team);
  world.drop('user → lead: task');
  world.enter('lead', 'base');
  world.turn('lead', ['lead → left, right: build']);
  expect(world.processes()).toEqual(['left in task', 'right in task']);
  world.enter('left', 'base');
  world.enter('right', 'base');
  return world;
}

describe('a role with a checkout of its own', () => {
  it('passes on the commit that it read, if it must not edit', () => {
    expect(commits(building())).toEqual({ task: null, build: 'base' });
  });

  it('leaves a commit before its messages are sent, with or without gates', () => {
    const world = building();
    world.turn('left', ['left → checker: made | It is made']);
    expect(world.processes()).toEqual(['right in task', 'left in task (checks)']);
    expect(world.decision.processes[1]).toMatchObject({
      checks: [],
      leaving: { title: 'It is made', messages: ['made'], entered: 'base', amends: null },
    });
    world.checks('left', [], 'c1');
    expect(commits(world)).toMatchObject({ made: 'c1' });
    expect(world.state.mail.get('made')?.message.work?.branch).toBe('mailroom/task/left');
  });

  it('takes the work of all that it picks up, each commit once', () => {
    const world = building();
    expect(takes(world, 'left')).toBeNull();
    world.turn('left', ['left → checker: made']);
    world.checks('left', [], 'c1');
    world.turn('right', ['right → checker: also']);
    world.checks('right', [], 'c2');
    expect(takes(world, 'checker')).toEqual(['c1 of left', 'c2 of right']);
  });

  it('replaces the commit of a round that was corrected', () => {
    const world = building();
    world.turn('left', ['left → checker: done']);
    world.checks('left', ['no'], 'c1');
    world.turn('left', ['left → checker: done']);
    expect(world.decision.processes[1]).toMatchObject({ leaving: { entered: 'base', amends: 'c1' } });
    world.checks('left', [], 'c2');
    expect(commits(world)).toMatchObject({ done2: 'c2' });
  });

  it('begins its next turn with what it sent last', () => {
    const world = building();
    world.turn('left', ['left → checker: made']);
    world.checks('left', [], 'c1');
    world.drop('user → left: task in task');
    const entering = enteringOf(world.state, world.protocol, world.running('left'));
    expect(entering).toMatchObject({ takes: [], last: 'c1', edits: true });
  });
});
