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
