import { describe, expect, it } from 'vitest';
import { World } from './world.ts';

const team = `
workspace: { worktree: role }
limits: { budget: { thread: { usd: 10 } } }
roles:
  architect: { capabilities: [READ, EDIT], budget: { usd: 2 } }
  engineer: { capabilities: [READ, EDIT], concurrency: 3, budget: { usd: 2 } }
messages:
  task: { from: user, to: architect }
  subtask: { from: architect, to: engineer, thread: new, reply: [done], join: all, fan_out: 3 }
  done: { from: engineer, to: architect }
  question: { from: engineer, to: [architect, user], reply: [answer] }
  answer: { from: [architect, user], to: engineer }
  delivered: { from: architect, to: user, closes: true }
`;

describe('the budget of a thread', () => {
  it('is shared by its sub-threads', () => {
    const world = new World(team);
    world.drop('user → architect: task');
    world.turn('architect', ['→ engineer: subtask', '→ engineer: subtask'], { usage: { usd: 7, tokens: 1 } });
    expect(world.processes()).toEqual(['engineer in subtask']);
    world.turn('engineer', ['→ architect: done'], { usage: { usd: 0.5, tokens: 1 } });
    expect(world.processes()).toEqual(['engineer in subtask2']);
    world.turn('engineer', ['→ architect: done'], { usage: { usd: 0.5, tokens: 1 } });
    expect(world.state.threads.get('task')?.cost.usd).toBe(8);
    expect(world.state.threads.get('subtask')?.cost.usd).toBe(0.5);
    expect(world.processes()).toEqual(['architect in task']);
  });

  const reserving = team.replace('fan_out: 3', 'fan_out: 3, budget: { usd: 3 }');

  it('is reserved by a sub-thread with one of its own, and given back when that has answered', () => {
    const world = new World(reserving.replace('join: all', 'blocking: false'));
    world.drop('user → architect: task');
    world.turn('architect', ['→ engineer: subtask', '→ engineer: subtask'], { usage: { usd: 3, tokens: 1 } });
    world.drop('user → architect: task in task');
    // 3 are spent, 6 are reserved: 1 of 10 is left, and a turn reserves 2.
    expect(world.processes()).toEqual(['engineer in subtask', 'engineer in subtask2']);
    world.turn('engineer', ['→ architect: done'], { in: 'subtask', usage: { usd: 1, tokens: 1 } });
    expect(world.processes()).toEqual(['engineer in subtask2', 'architect in task']);
  });

  it('is not reserved again by a sub-thread that a person continues', () => {
    const world = new World(reserving.replace('join: all', 'blocking: false'));
    world.drop('user → architect: task');
    world.turn('architect', ['→ engineer: subtask']);
    expect(world.state.threads.get('subtask')?.reserves).toBe(true);
    world.turn('engineer', ['→ architect: done']);
    world.drop('user → architect: task in subtask');
    expect(world.state.threads.get('subtask')).toMatchObject({ state: 'open', reserves: false });
  });

  it('bounds what a sub-thread spends, whatever its parent has left', () => {
    const world = new World(reserving);
    world.drop('user → architect: task');
    world.turn('architect', ['→ engineer: subtask']);
    world.turn('engineer', ['→ architect: question'], { usage: { usd: 2, tokens: 1 } });
    expect(world.state.threads.get('subtask')).toMatchObject({
      state: 'failed',
      reason: { code: 'E_BUDGET' },
    });
    expect(world.processes()).toEqual(['architect in task']);
  });

  it('has room for what new sub-threads reserve, or they are refused', () => {
    const world = new World(reserving);
    world.drop('user → architect: task');
    world.turn('architect', Array(3).fill('→ engineer: subtask'), { usage: { usd: 1.5, tokens: 1 } });
    expect(world.running('architect').problems).toEqual([
      'the sub-threads of this turn would reserve 9 USD, and the budget of this thread has less left: open fewer of them',
    ]);
  });

  it('has less reserved by what a sub-thread has spent', () => {
    const world = new World(
      reserving
        .replace('join: all', 'blocking: false')
        .replace('budget: { usd: 2 } }', 'budget: { usd: 4 } }'),
    );
    world.drop('user → architect: task');
    world.turn('architect', ['→ engineer: subtask'], { usage: { usd: 3, tokens: 1 } });
    world.turn('engineer', ['→ user: question'], { usage: { usd: 1, tokens: 1 } });
    world.drop('user → architect: task in task');
    // 4 are spent and 2 are reserved: the 4 of a turn are left.
    expect(world.processes()).toEqual(['architect in task']);
  });

  it('holds what a sub-thread has reserved, even if others spend more than they may', () => {
    const world = new World(reserving.replace('join: all', 'blocking: false'));
    world.drop('user → architect: task');
    world.turn('architect', ['→ engineer: subtask'], { usage: { usd: 1, tokens: 1 } });
    world.drop('user → architect: task in task');
    world.turn('engineer', ['→ user: question'], { usage: { usd: 0.5, tokens: 1 } });
    world.turn('architect', [], { usage: { usd: 9, tokens: 1 } });
    world.drop('user → engineer: answer re question');
    expect(world.processes()).toEqual(['engineer in subtask']);
  });

  it('of tokens is asked for as well', () => {
    const world = new World(
      team
        .replace('{ usd: 10 }', '{ tokens: 100 }')
        .replaceAll('usd: 2', 'tokens: 2')
        .replace('fan_out: 3', 'fan_out: 3, budget: { tokens: 40 }'),
    );
    world.drop('user → architect: task');
    world.turn('architect', Array(3).fill('→ engineer: subtask'), { usage: { usd: 0, tokens: 1 } });
    expect(world.running('architect').problems).toEqual([
      'the sub-threads of this turn would reserve 120 tokens, and the budget of this thread has less left: open fewer of them',
    ]);
  });

  it('is reserved by no sub-thread that comes after the end of its parent', () => {
    const world = new World(reserving);
    world.drop('user → architect: task');
    world.drop('architect → user: delivered in task');
    world.turn('architect', ['→ engineer: subtask']);
    expect(world.state.threads.get('subtask')).toMatchObject({ state: 'closed', reserves: false });
    expect(world.processes()).toEqual([]);
  });
});
