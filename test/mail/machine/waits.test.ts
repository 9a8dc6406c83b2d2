import { describe, expect, it } from 'vitest';
import { peers, team } from './protocols.ts';
import { World } from './world.ts';

/** The team with a design at the engineer, who is at it. */
function designed(): World {
  const world = new World(team);
  world.drop('user → architect: task');
  world.turn('architect', ['→ engineer: design']);
  world.acts();
  return world;
}

describe('a request', () => {
  it('is taken up by whom it was sent to, and its answer wakes who asked', () => {
    const world = designed();
    world.turn('engineer', ['→ qa: review-request']);
    world.turn('qa', ['→ engineer: review-feedback']);
    world.turn('engineer', ['→ user: delivered']);
    expect(world.acts()).toEqual([
      'engineer → qa: review-request',
      'qa takes review-request',
      'qa → engineer: review-feedback',
      'engineer takes review-feedback',
      'engineer → user: delivered',
    ]);
    expect(world.thread('task')).toBe('closed');
  });

  it('costs its sender no process while it waits', () => {
    const world = designed();
    world.turn('engineer', ['→ qa: review-request']);
    expect(world.processes()).toEqual(['qa in task']);
    expect([...world.state.waits.values()]).toMatchObject([{ role: 'engineer', blocks: 'role' }]);
  });

  it('to oneself that blocks is a correction; one that does not block is allowed', () => {
    const blocked = new World(peers('role'));
    blocked.drop('user → one: go');
    blocked.turn('one', ['→ one: ask']);
    expect(blocked.acts().at(-1)).toContain('blocks its sender, so it must not go to one itself');
    const free = new World(peers('false'));
    free.drop('user → one: go');
    free.turn('one', ['→ one: ask']);
    free.turn('one', ['→ one: say']);
    expect(free.acts().slice(2)).toEqual([
      'one → one: ask',
      'one takes ask',
      'one → one: say',
      'one takes say',
    ]);
  });
});

describe('while a role waits', () => {
  it('with blocking role (also written true) it picks up nothing of any thread', () => {
    const world = new World(peers('true'));
    world.drop('user → one: go');
    world.turn('one', ['→ two: ask']);
    world.drop('user → one: go in go');
    world.drop('user → one: go');
    expect(world.processes()).toEqual(['two in go']);
    world.turn('two', ['→ one: say']);
    world.turn('one', []);
    expect(world.processes()).toEqual(['one in go', 'one in go3']);
  });

  it('with blocking thread only that thread waits', () => {
    const world = new World(peers('thread'));
    world.drop('user → one: go');
    world.turn('one', ['→ two: ask']);
    world.drop('user → one: go in go');
    world.drop('user → one: go');
    expect(world.processes()).toEqual(['two in go', 'one in go3']);
    world.turn('two', ['→ one: say']);
    expect(world.running('one', 'go').messages).toEqual(['say']);
  });

  it('with blocking false nothing waits', () => {
    const world = new World(peers('false'));
    world.drop('user → one: go');
    world.turn('one', ['→ two: ask']);
    world.drop('user → one: go in go');
    expect(world.processes()).toEqual(['two in go', 'one in go']);
    world.turn('two', ['→ one: say']);
    expect(world.processes()).toEqual(['one in go']);
    world.turn('one', []);
    expect(world.running('one').messages).toEqual(['say']);
  });

  it('turns of the same role that run already continue', () => {
    const world = new World(peers('role'));
    world.drop('user → one: go');
    world.drop('user → one: go');
    world.turn('one', ['→ two: ask'], { in: 'go' });
    expect(world.processes()).toEqual(['one in go2', 'two in go']);
  });
});

describe('all requests that one turn sends', () => {
  it('are one wait, which ends with the last reply, and the sender picks up all replies at once', () => {
    const world = new World(peers('role'));
    world.drop('user → one: go');
    world.turn('one', ['→ two: ask', '→ three: ask']);
    expect(world.state.waits.size).toBe(1);
    world.turn('three', ['→ one: say']);
    expect(world.processes()).toEqual(['two in go']);
    world.turn('two', ['→ one: say']);
    expect(world.running('one').messages).toEqual(['say2', 'say']);
  });

  it('and one request to several roles: each recipient owes a reply of its own', () => {
    const world = new World(peers('role'));
    world.drop('user → one: go');
    world.turn('one', ['→ two, three: ask']);
    world.turn('two', ['→ one: say']);
    expect(world.processes()).toEqual(['three in go']);
    world.turn('three', ['→ one: say']);
    expect(world.running('one').messages).toEqual(['say', 'say2']);
  });

  it('block as much as the strongest of them', () => {
    const world = new World(`
roles: { one: {}, two: {} }
messages:
  go: { from: [user], to: [one] }
  weak: { from: [one], to: [two], reply: [say], blocking: false }
  strong: { from: [one], to: [two], reply: [say], blocking: thread }
  say: { from: [two], to: [one] }
`);
    world.drop('user → one: go');
    world.turn('one', ['→ two: weak', '→ two: strong']);
    expect([...world.state.waits.values()]).toMatchObject([
      { blocks: 'thread', requests: ['weak', 'strong'] },
    ]);
  });

  it('leave replies that go to others besides to those others, as mail', () => {
    const world = new World(peers('role'));
    world.drop('user → one: go');
    world.turn('one', ['→ two: ask']);
    world.turn('two', ['→ one, three: say']);
    expect(world.processes()).toEqual(['one in go', 'three in go']);
  });
});

describe('a second reply', () => {
  it('from the same role is refused', () => {
    const world = new World(peers('role'));
    world.drop('user → one: go');
    world.turn('one', ['→ two, three: ask']);
    world.turn('two', ['→ one: say']);
    expect(world.drop('two → one: say re ask')).toBe('two has already answered ask (ask)');
  });

  it('within one turn is a correction', () => {
    const world = new World(peers('role'));
    world.drop('user → one: go');
    world.turn('one', ['→ two: ask']);
    world.turn('two', ['→ one: say', '→ one: say']);
    expect(world.acts().at(-1)).toBe('two is corrected: say2.md: this turn answers the same request twice');
  });
});

describe('a role with several waits', () => {
  it('picks up the answers of any of them, and other mail when none is open', () => {
    const world = new World(peers('role'));
    world.drop('user → one: go');
    world.turn('one', ['→ two: ask']);
    world.turn('two', ['→ one: ask']);
    world.drop('user → one: go');
    // Nested: two is asked back by one, which now has two waits.
    world.turn('one', ['→ three: ask']);
    expect(world.state.waits.size).toBe(3);
    world.turn('three', ['→ one: say']);
    world.turn('one', ['→ two: say']);
    world.turn('two', ['→ one: say']);
    expect(world.running('one').messages).toEqual(['say3']);
    world.turn('one', []);
    expect(world.running('one').messages).toEqual(['go2']);
  });
});

describe('a reply that was removed by hand', () => {
  it('does not keep its reader waiting: it continues with what is left', () => {
    const world = new World(peers('role'));
    world.drop('user → one: go');
    world.turn('one', ['→ two, three: ask']);
    world.turn('two', ['→ one: say']);
    world.record({ type: 'withdrawn', message: 'say', recipient: 'one', notices: [] });
    world.turn('three', ['→ one: say']);
    expect(world.running('one').messages).toEqual(['say2']);
  });

  it('even with nothing', () => {
    const world = new World(peers('role'));
    world.drop('user → one: go');
    world.command({ verb: 'pause', target: { kind: 'role', role: 'one' }, now: false });
    world.turn('one', ['→ two: ask']);
    world.turn('two', ['→ one: say']);
    world.record({ type: 'withdrawn', message: 'say', recipient: 'one', notices: [] });
    world.command({ verb: 'unpause', target: { kind: 'role', role: 'one' }, now: false });
    expect(world.acts().at(-1)).toBe('one takes nothing');
    world.turn('one', ['→ user: report']);
    expect(world.thread('go')).toBe('quiet');
  });
});

describe('a person', () => {
  it('has no turns: what it is sent waits to be read', () => {
    const world = designed();
    world.turn('engineer', ['→ user: report']);
    expect(world.at('report', 'user')).toBe('unread');
    expect(world.processes()).toEqual([]);
    world.record({ type: 'read', message: 'report', recipient: 'user' });
    expect(world.at('report', 'user')).toBe('read');
  });

  it('answers when it likes, and that wakes who asked', () => {
    const world = designed();
    world.turn('engineer', ['→ user: question']);
    world.tick('10m');
    world.drop('user → engineer: answer re question');
    expect(world.running('engineer').messages).toEqual(['answer']);
  });

  it('that asked has its answer, and the thread is not kept busy by its waiting', () => {
    const world = new World(`
roles: { one: {} }
messages:
  ask: { from: [user], to: [one], reply: [say] }
  say: { from: [one], to: [user] }
`);
    world.drop('user → one: ask');
    expect(world.state.waits.size).toBe(1);
    world.turn('one', ['→ user: say']);
    expect(world.state.waits.size).toBe(0);
    expect(world.thread('ask')).toBe('quiet');
  });

  it('may speak for a role that waits, and the role then has another wait', () => {
    const world = designed();
    world.turn('engineer', ['→ qa: review-request']);
    world.drop('engineer → user: question in task');
    world.turn('qa', ['→ engineer: review-feedback']);
    expect(world.running('engineer')).toMatchObject({ messages: ['review-feedback'], nesting: 1 });
  });

  it('may answer for a role: its request is not worth a turn then', () => {
    const world = designed();
    world.command({ verb: 'pause', target: { kind: 'role', role: 'qa' }, now: false });
    world.turn('engineer', ['→ qa: review-request']);
    world.drop('qa → engineer: review-feedback re review-request');
    world.command({ verb: 'unpause', target: { kind: 'all' }, now: false });
    expect(world.processes()).toEqual(['engineer in task']);
    expect(world.at('review-request', 'qa')).toBe('processed');
  });
});
