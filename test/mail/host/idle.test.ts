import { expect, it } from 'vitest';
import { idleOf } from '../../../src/mail/host/idle.ts';
import { team } from '../machine/protocols.ts';
import { World } from '../machine/world.ts';

it('is busy while an answer is there whose reader has no provider until a time', () => {
  const world = new World(team);
  world.drop('user → architect: task');
  world.turn('architect', ['→ engineer: design']);
  world.turn('engineer', ['→ architect: question']);
  world.record({
    type: 'parked',
    provider: world.protocol.roles.get('engineer')!.provider,
    until: world.now + 60_000,
  });
  world.turn('architect', ['→ engineer: answer']);
  expect(world.processes()).toEqual([]);
  world.record({ type: 'projected', through: world.state.events });
  expect(idleOf(world.state, world.protocol, world.now)).toBe('busy');
  world.tick('2m');
  expect(world.running('engineer').messages).toEqual(['answer']);
});

it('is stuck while the only turn is to start again in a role whose inbox is gone', () => {
  const world = new World(team);
  const idle = () => {
    world.settle();
    world.record({ type: 'projected', through: world.state.events });
    return idleOf(world.state, world.protocol, world.now);
  };
  world.drop('user → architect: task');
  world.record({ type: 'vanished', role: 'architect', notices: [] });
  world.fail('architect');
  world.tick('1h');
  expect(world.processes()).toEqual([]);
  expect(idle()).toBe('stuck');
  world.record({ type: 'restored', role: 'architect' });
  expect(idle()).toBe('busy');
  expect(world.processes()).toEqual(['architect in task']);
});

it('is stuck while the only turn waits in a part of a paused thread', () => {
  const world = new World(`
    roles: { architect: {}, engineer: {} }
    messages:
      task: { from: user, to: architect }
      part: { from: architect, to: engineer, thread: new, reply: [done] }
      done: { from: engineer, to: architect }
  `);
  world.drop('user → architect: task');
  world.turn('architect', ['→ engineer: part']);
  world.record({
    type: 'controlled',
    id: 'pause',
    by: 'ada',
    command: { verb: 'pause', target: { kind: 'thread', thread: 'task' }, now: false },
    refusal: null,
  });
  world.fail('engineer');
  world.tick('1h');
  world.record({ type: 'projected', through: world.state.events });
  expect([world.processes(), world.state.turns.size]).toEqual([[], 1]);
  expect(idleOf(world.state, world.protocol, world.now)).toBe('stuck');
});

const landing = `
workspace: { worktree: role }
roles:
  left: { capabilities: [READ, EDIT] }
  right: { capabilities: [READ, EDIT] }
messages:
  task: { from: user, to: [left, right] }
  done: { from: [left, right], to: user, closes: true, lands: main }
`;

/** A role finishes work that is to land. */
function finish(world: World, role: string): void {
  world.drop(`user → ${role}: task`);
  world.enter(role, 'base');
  world.turn(role, [`${role} → user: done`]);
  world.checks(role, [], `work-of-${role}`);
  world.record({ type: 'projected', through: world.state.events });
}

const idleIn = (world: World) => idleOf(world.state, world.protocol, world.now);

it('waits for a person while one turn waits for approval, and another for its inbox', () => {
  const world = new World(landing);
  finish(world, 'left');
  const asked = world.state.landings.get('t1')!;
  world.state.landings.set('t1', {
    ...asked,
    phase: { is: 'asked', onto: 'a', rules: null, left: null, undone: false },
  });
  world.drop('user → right: task');
  world.record({ type: 'vanished', role: 'right', notices: [] });
  world.fail('right');
  world.record({ type: 'projected', through: world.state.events });
  expect(world.state.turns.get('t2')?.phase.is).toBe('pending');
  expect(idleIn(world)).toBe('waiting_for_user');
  world.record({ type: 'restored', role: 'right' });
  expect(idleIn(world)).toBe('busy');
});

it('waits for a person while a blocked landing keeps another from its branch', () => {
  const world = new World(landing);
  finish(world, 'left');
  finish(world, 'right');
  expect(idleIn(world)).toBe('busy');
  world.landing('t1', { type: 'landing-blocked', problem: 'commit your changes' });
  expect(world.landings()).toEqual(['t1: check']);
  expect(idleIn(world)).toBe('waiting_for_user');
});
