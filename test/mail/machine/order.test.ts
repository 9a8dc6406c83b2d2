import { describe, expect, it } from 'vitest';
import { joined, peers } from './protocols.ts';
import { World } from './world.ts';

const solo = `
roles:
  one: {}
  two: { concurrency: 9 }
messages:
  go: { from: [user], to: [one, two] }
  ask: { from: [two, user], to: [one], reply: [say], blocking: false }
  pray: { from: [one], to: [user, two], reply: [hear], blocking: thread }
  hear: { from: [user, two], to: [one] }
  say: { from: [one], to: [two, user] }
`;

/** What role one takes up, one after the other, when each of its turns sends an answer to what it owes. */
function taken(world: World, role = 'one'): string[] {
  const taking = world.acts().filter((act) => act.startsWith(`${role} takes `));
  return taking.map((act) => act.slice(`${role} takes `.length));
}

describe('free slots', () => {
  it('go to the oldest mail of a role', () => {
    const world = new World(solo);
    for (const thread of ['go', 'go2', 'go3']) expect(world.drop('user → one: go')).toBe(thread);
    for (let count = 0; count < 3; count += 1) world.turn('one');
    expect(taken(world)).toEqual(['go', 'go2', 'go3']);
  });

  it('go to replies before requests, and to requests before the rest', () => {
    const world = new World(solo);
    world.drop('user → one: go');
    world.turn('one', ['→ user: pray']);
    world.drop('user → one: go');
    world.drop('user → one: go');
    world.drop('user → one: ask');
    world.drop('user → one: hear re pray');
    world.turn('one');
    world.turn('one');
    world.turn('one', ['→ user: say']);
    world.turn('one');
    expect(taken(world)).toEqual(['go', 'go2', 'hear', 'ask', 'go3']);
  });

  it('go to the oldest over all roles, where the host has no more', () => {
    const world = new World(solo);
    world.protocol = { ...world.protocol, concurrency: 1 };
    world.drop('user → two: go');
    world.drop('user → one: go');
    world.drop('user → two: go');
    world.turn('two');
    expect(world.processes()).toEqual(['one in go2']);
    world.turn('one');
    expect(world.processes()).toEqual(['two in go3']);
  });

  it('go to waits in the order in which their last answer came', () => {
    const world = new World(solo.replace('one: {}', 'one: { concurrency: 2 }'));
    world.drop('user → one: go');
    world.turn('one', ['→ user, two: pray']);
    world.drop('user → one: go');
    world.turn('one', ['→ user: pray']);
    world.command({ verb: 'pause', target: { kind: 'role', role: 'one' }, now: false });
    world.turn('two', ['→ one: hear']);
    world.drop('user → one: hear re pray2');
    world.drop('user → one: hear re pray');
    world.acts();
    world.command({ verb: 'unpause', target: { kind: 'all' }, now: false });
    expect(taken(world)).toEqual(['hear2', 'hear3, hear']);
  });

  it('are as many as a role has, and no two in one thread', () => {
    const world = new World(solo);
    world.drop('user → two: go');
    world.drop('user → two: go in go');
    world.drop('user → two: go');
    expect(world.processes()).toEqual(['two in go', 'two in go3']);
    world.turn('two', [], { in: 'go' });
    expect(world.processes()).toEqual(['two in go3', 'two in go']);
  });

  it('take a thread in the order of the journal, whatever else is in it', () => {
    const world = new World(solo);
    world.drop('user → one: go');
    world.drop('user → one: go in go');
    world.drop('user → one: ask in go');
    world.turn('one');
    expect(world.running('one').messages).toEqual(['go2']);
  });

  it('do not go to a later request because its thread begins with mail', () => {
    const world = new World(solo);
    world.drop('user → one: go');
    world.drop('user → one: go');
    world.drop('user → one: ask in go2');
    world.drop('user → one: ask');
    world.turn('one');
    expect(world.running('one').messages).toEqual(['ask2']);
  });

  it('pass what cannot start now', () => {
    const world = new World(solo);
    for (let count = 0; count < 3; count += 1) world.drop('user → one: go');
    world.command({ verb: 'pause', target: { kind: 'thread', thread: 'go2' }, now: false });
    world.turn('one');
    expect(world.processes()).toEqual(['one in go3']);
  });
});

describe('mail in backoff', () => {
  it('holds back what follows it in its thread only, and no slot', () => {
    const world = new World(solo);
    world.drop('user → one: go');
    world.drop('user → one: go in go');
    world.drop('user → one: go');
    world.fail('one');
    expect(world.processes()).toEqual(['one in go3']);
    world.turn('one');
    expect(world.processes()).toEqual([]);
    world.tick('1s');
    expect(world.running('one').messages).toEqual(['go']);
  });

  it('comes back before what came later', () => {
    const world = new World(solo);
    world.drop('user → one: go');
    world.drop('user → one: go');
    world.drop('user → one: go');
    world.fail('one');
    world.tick('2s');
    world.turn('one');
    expect(world.running('one').messages).toEqual(['go']);
  });
});

describe('a join', () => {
  function started(): World {
    const world = new World(joined);
    world.drop('user → architect: task');
    world.turn('architect', ['→ backend: backend-task', '→ frontend: frontend-task']);
    world.acts();
    return world;
  }

  it('picks up one message of each type, when the last is there', () => {
    const world = started();
    world.turn('frontend', ['→ integrator: frontend-done']);
    expect(world.processes()).toEqual(['backend in task']);
    world.turn('backend', ['→ integrator: backend-done']);
    expect(world.running('integrator').messages).toEqual(['backend-done', 'frontend-done']);
    world.turn('integrator', ['→ user: integrated']);
    expect(world.thread('task')).toBe('closed');
  });

  it('is of one thread', () => {
    const world = started();
    world.drop('frontend → integrator: frontend-done');
    world.turn('backend', ['→ integrator: backend-done']);
    expect(world.processes()).toEqual(['frontend in task']);
  });

  it('picks up no more than one of each: the rest waits for the next', () => {
    const world = started();
    world.turn('frontend', ['→ integrator: frontend-done', '→ integrator: frontend-done']);
    world.turn('backend', ['→ integrator: backend-done']);
    expect(world.running('integrator').messages).toEqual(['backend-done', 'frontend-done']);
    expect(world.at('frontend-done2', 'integrator')).toBe('inbox');
  });

  it('does not hold back what another clause takes', () => {
    const world = started();
    world.turn('frontend', ['→ integrator: frontend-done']);
    world.drop('architect → integrator: urgent in task');
    expect(world.running('integrator').messages).toEqual(['urgent']);
  });

  it('that is complete and has no slot does not make its thread quiet', () => {
    const world = new World(joined);
    for (const thread of ['task', 'task2']) {
      world.drop('user → architect: task');
      world.turn('architect', ['→ backend: backend-task', '→ frontend: frontend-task']);
      world.turn('backend', ['→ integrator: backend-done'], { in: thread });
      world.turn('frontend', ['→ integrator: frontend-done'], { in: thread });
    }
    expect(world.processes()).toEqual(['integrator in task']);
    expect(world.thread('task2')).toBe('open');
    world.turn('integrator', ['→ user: integrated']);
    expect(world.processes()).toEqual(['integrator in task2']);
  });

  it('of requests is a turn that owes all their answers', () => {
    const world = new World(`
roles: { one: {}, two: {}, boss: {} }
messages:
  go: { from: [user], to: [one, two] }
  left: { from: [one], to: [boss], reply: [say] }
  right: { from: [two], to: [boss], reply: [say] }
  say: { from: [boss], to: [one, two] }
expects:
  boss: [{ all: [left, right] }]
`);
    world.drop('user → one, two: go');
    world.turn('two', ['→ boss: right']);
    world.turn('one', ['→ boss: left']);
    expect(world.running('boss')).toMatchObject({ priority: 'request', messages: ['left', 'right'] });
  });
});

describe('a workspace', () => {
  const writers = `
roles:
  one: { capabilities: [READ, EDIT] }
  two: { capabilities: [RUN_COMMANDS] }
  three: { capabilities: [READ, RUN_TESTS] }
messages:
  go: { from: [user], to: [one, two, three] }
`;

  it('that roles may change is held against other such turns', () => {
    const world = new World(writers);
    world.drop('user → one, two, three: go');
    world.drop('user → two: go');
    expect(world.processes()).toEqual(['one in go', 'three in go']);
    world.turn('one');
    expect(world.processes()).toEqual(['three in go', 'two in go']);
  });

  it('is free while such a turn is in backoff', () => {
    const world = new World(writers);
    world.drop('user → one, two: go');
    world.fail('one');
    expect(world.processes()).toEqual(['two in go']);
    world.tick('1m');
    expect(world.processes()).toEqual(['two in go']);
    world.turn('two');
    expect(world.processes()).toEqual(['one in go']);
  });

  it('of its own has each thread with worktrees', () => {
    const world = new World(`workspace: worktree\n${writers}`);
    world.drop('user → one: go');
    world.drop('user → two: go');
    world.drop('user → two: go in go');
    expect(world.processes()).toEqual(['one in go', 'two in go2']);
    world.turn('two');
    expect(world.processes()).toEqual(['one in go']);
  });
});

describe('the built-in notice', () => {
  it('is taken up by every role, whatever it expects', () => {
    const world = new World(joined);
    world.drop('user → architect: task');
    const people: string[] = [];
    const message = {
      id: 'told',
      type: 'notice',
      from: 'mailroom',
      to: ['integrator'],
      thread: 'task',
      inReplyTo: null,
      subject: 'Withdrawn',
      created: world.now,
      work: null,
      attachments: [],
      fields: {},
      extra: {},
      body: '',
    };
    const rest = { late: false, closes: false, joins: [], people, opens: null };
    const sent = { message, request: null, answers: null, ...rest };
    world.record({ type: 'accepted', sent });
    world.settle();
    expect(world.running('integrator').messages).toEqual(['told']);
  });
});

describe('concurrency of a role', () => {
  it('counts what is being judged and gated, and not what is put back', () => {
    const world = new World(peers('role').replaceAll('concurrency: 3', 'concurrency: 2'));
    for (let count = 0; count < 4; count += 1) world.drop('user → one: go');
    expect(world.processes()).toEqual(['one in go', 'one in go2']);
    world.fail('one', { in: 'go' });
    expect(world.processes()).toEqual(['one in go2', 'one in go3']);
  });
});
