import { describe, expect, it } from 'vitest';
import { joined, peers, team } from './protocols.ts';
import { World } from './world.ts';

const closing = `
roles: { one: {}, two: {}, three: {} }
messages:
  go: { from: [user], to: [one, two] }
  ask: { from: [one, two], to: [three, user], reply: [say], blocking: thread }
  say: { from: [three, user], to: [one, two] }
  note: { from: [one, two], to: [one, two, three] }
  report: { from: [one, two, three], to: [user] }
  done: { from: [one, user], to: [user, two, three], closes: true }
`;

describe('closing a thread', () => {
  it('files its waiting mail, and ends its requests and waits', () => {
    const world = new World(closing);
    world.command({ verb: 'pause', target: { kind: 'role', role: 'three' }, now: false });
    world.drop('user → one, two: go');
    world.turn('two', ['→ three: ask', '→ three: note']);
    world.turn('one', ['→ user: done']);
    expect(world.thread('go')).toBe('closed');
    expect(world.at('ask', 'three')).toBe('processed');
    expect(world.at('note', 'three')).toBe('processed');
    expect(world.state.waits.size).toBe(0);
    expect(world.at('done', 'user')).toBe('unread');
    expect(world.decision).toMatchObject({ processes: [], wake: null });
  });

  it('files the closing message itself where it goes to a role', () => {
    const world = new World(closing);
    world.drop('user → one: go');
    world.turn('one', ['→ two: done']);
    expect(world.at('done', 'two')).toBe('processed');
    expect(world.processes()).toEqual([]);
  });

  it('lets what runs finish: what it sends is filed, except to user, who gets it', () => {
    const world = new World(closing);
    world.drop('user → one, two: go');
    world.turn('one', ['→ user: done']);
    expect(world.processes()).toEqual(['two in go']);
    world.turn('two', ['→ user: report', '→ one: note', '→ three: ask']);
    expect(world.at('report', 'user')).toBe('unread');
    expect(world.at('note', 'one')).toBe('processed');
    expect(world.at('ask', 'three')).toBe('processed');
    expect(world.state.waits.size).toBe(0);
    expect(world.processes()).toEqual([]);
  });

  it('begins nothing again: a turn in backoff is over, one that fails is not tried again', () => {
    const world = new World(closing);
    world.drop('user → one, two: go');
    world.fail('two');
    world.turn('one', ['→ user: done']);
    expect(world.at('go', 'two')).toBe('processed');
    world.tick('1h');
    expect(world.processes()).toEqual([]);
    const other = new World(closing);
    other.drop('user → one, two: go');
    other.turn('one', ['→ user: done']);
    other.fail('two');
    expect(other.acts().at(-1)).toBe('two fails: E_TURN');
    expect(other.processes()).toEqual([]);
  });

  it('while an answer is owed is a correction', () => {
    const world = new World(`
roles: { one: {}, two: {} }
messages:
  go: { from: [user], to: [two] }
  ask: { from: [two], to: [one], reply: [say] }
  say: { from: [one], to: [two] }
  done: { from: [one], to: [user], closes: true }
`);
    world.drop('user → two: go');
    world.turn('two', ['→ one: ask']);
    world.turn('one', ['→ user: done']);
    expect(world.acts().at(-1)).toContain(
      'closes the thread must not be sent while you owe an answer: `say` to two',
    );
    world.turn('one', ['→ two: say', '→ user: done']);
    expect(world.thread('go')).toBe('closed');
    expect(world.at('say', 'two')).toBe('processed');
  });

  it('is the answer where the request names its type: none waits any more', () => {
    const world = new World(reviewed);
    world.drop('user → two: go');
    world.turn('two', ['→ one: ask']);
    expect(world.processes()).toEqual(['one in go']);
    world.turn('one', ['→ user: done']);
    expect(world.thread('go')).toBe('closed');
    expect(world.state.waits.size).toBe(0);
    expect(world.state.mail.get('done')?.message).toMatchObject({ to: ['user'], inReplyTo: 'ask' });
    // Its role was blocked by the request, and is free.
    world.drop('user → two: go');
    expect(world.processes()).toEqual(['two in go2']);
  });

  it('answers so for a person, too', () => {
    const world = new World(reviewed.replace('one: {}', 'one: { provider: human }'));
    world.drop('user → two: go');
    world.turn('two', ['→ one: ask']);
    world.drop('one → user: done re ask');
    expect(world.thread('go')).toBe('closed');
    expect(world.state.waits.size).toBe(0);
  });

  it('frees only from what its type answers', () => {
    const world = new World(
      `${reviewed}  doubt: { from: [two], to: [one], reply: [say] }\nexpects: { one: [{ all: [ask, doubt] }] }\n`,
    );
    world.drop('user → two: go');
    world.turn('two', ['→ one: ask', '→ one: doubt']);
    world.turn('one', ['→ user: done']);
    expect(world.acts().at(-1)).toContain('must not be sent while you owe an answer: `say` to two');
  });

  it('does not answer a request that opened a sub-thread: its sender waits elsewhere', () => {
    const opening = reviewed.replace('ask: {', 'ask: { thread: new,');
    expect(() => new World(opening)).toThrow('`done` cannot go to anybody who sends `ask`');
    const world = new World(opening.replace('to: [user], closes', 'to: [user, two], closes'));
    world.drop('user → two: go');
    world.turn('two', ['→ one: ask']);
    world.turn('one', ['→ user: done']);
    expect(world.acts().at(-1)).toContain('must not be sent while you owe an answer');
  });

  it('together with a request is a correction: no one would answer it', () => {
    const world = new World(closing);
    world.drop('user → one: go');
    world.turn('one', ['→ three: ask', '→ user: done']);
    expect(world.acts().at(-1)).toBe(
      'one is corrected: `done` closes the thread, so `ask` would never be answered: send one of them',
    );
  });

  it('is something that a person may do as well', () => {
    const world = new World(closing);
    world.drop('user → one: go');
    world.turn('one', ['→ user: ask']);
    world.drop('user → three: done in go');
    expect(world.thread('go')).toBe('closed');
    expect(world.state.waits.size).toBe(0);
  });
});

/** A review whose approval is the delivery. */
const reviewed = `
roles: { one: {}, two: {} }
messages:
  go: { from: [user], to: [two] }
  ask: { from: [two], to: [one], reply: [say, done], blocking: role }
  say: { from: [one], to: [two] }
  done: { from: [one], to: [user], closes: true }
`;

describe('a thread that was closed', () => {
  it('opens again with a message of a person', () => {
    const world = new World(closing);
    world.drop('user → one: go');
    world.turn('one', ['→ user: done']);
    world.drop('user → two: go in go');
    expect(world.thread('go')).toBe('open');
    expect(world.processes()).toEqual(['two in go']);
  });

  it('opens again with an answer that comes after all, which is mail then', () => {
    const world = new World(closing);
    world.drop('user → one, two: go');
    world.turn('two', ['→ user: ask']);
    world.turn('one', ['→ user: done']);
    world.drop('user → two: say re ask');
    expect(world.running('two')).toMatchObject({ messages: ['say'], wait: null });
  });

  it('is forgotten after a hundred others, with its mail, but not with what a person has not read', () => {
    const world = new World(closing, { watched: false });
    for (let count = 0; count < 101; count += 1) {
      world.drop('user → one: go');
      world.turn('one', ['→ user: done']);
    }
    expect(world.thread('go')).toBeUndefined();
    expect(world.thread('go2')).toBe('closed');
    expect(world.state.mail.has('done')).toBe(false);
    expect(world.state.unread.has('done user')).toBe(true);
    expect(world.drop('user → two: go in go')).toBe(
      'there is no thread go; leave `thread` out to start a new one',
    );
  });

  it('is not forgotten while something runs in it', () => {
    const world = new World(closing, { watched: false });
    world.drop('user → one, two: go');
    world.turn('one', ['→ user: done']);
    for (let count = 0; count < 105; count += 1) {
      world.drop('user → one: go');
      world.turn('one', ['→ user: done']);
    }
    world.turn('two', ['→ user: report']);
    expect(world.at('report', 'user')).toBe('unread');
    expect(world.thread('go')).toBe('closed');
  });
});

/** `one` never takes up `ask` by itself. */
const impatient = `
name: impatient
version: "1"
roles:
  one: { provider: agent }
  two: { provider: agent }
messages:
  go: { from: user, to: two }
  ask: { from: two, to: one, reply: [say], blocking: false, timeout: 1h, on_timeout: proceed }
  part: { from: user, to: one }
  say: { from: one, to: two }
expects:
  one: [{ all: [ask, part] }]
`;

describe('a thread in which nothing more can happen', () => {
  it('is quiet, and `user` is notified once', () => {
    const world = new World(team);
    world.drop('user → architect: task');
    world.turn('architect', [], { text: 'nothing to send' });
    expect(world.acts().at(-1)).toBe('task is quiet');
    expect(world.notices()).toEqual(['Quiet: task']);
    world.settle();
    world.tick('1d');
    expect(world.notices()).toEqual(['Quiet: task']);
  });

  it('continues with a message of that thread', () => {
    const world = new World(team);
    world.drop('user → architect: task');
    world.turn('architect');
    world.drop('user → architect: task in task');
    expect(world.thread('task')).toBe('open');
    world.turn('architect');
    expect(world.notices()).toEqual(['Quiet: task', 'Quiet: task']);
  });

  it('is not quiet while mail waits, something runs, or somebody waits', () => {
    const world = new World(team);
    world.command({ verb: 'pause', target: { kind: 'role', role: 'engineer' }, now: false });
    world.drop('user → architect: task');
    world.turn('architect', ['→ engineer: design']);
    expect(world.thread('task')).toBe('open');
    world.command({ verb: 'unpause', target: { kind: 'all' }, now: false });
    world.turn('engineer', ['→ user: question']);
    expect(world.thread('task')).toBe('open');
    world.drop('user → engineer: answer');
    world.fail('engineer');
    expect(world.thread('task')).toBe('open');
  });

  it('is not quiet while the time of a request runs that was put back', () => {
    const world = new World(impatient);
    world.drop('user → two: go');
    world.turn('two', ['→ one: ask']);
    const request = world.state.mail.get('ask')!.message;
    world.command({ verb: 'cancel', target: { kind: 'thread', thread: 'go' } });
    world.command({ verb: 'retry', message: request, role: 'one' });
    expect(world.thread('go')).toBe('open');
    world.tick('2h');
    expect(world.acts().slice(-2)).toEqual(['ask goes on without one', 'two takes notice']);
    world.turn('two');
    expect(world.thread('go')).toBe('quiet');
  });

  it('names the mail that waits for others that never came', () => {
    const world = new World(joined);
    world.drop('user → architect: task');
    world.turn('architect', ['→ backend: backend-task']);
    world.turn('backend', ['→ integrator: backend-done']);
    expect(world.thread('task')).toBe('quiet');
    const notice = [...world.state.unread.values()].at(-1)?.message;
    expect(notice?.body).toContain('- backend-done, for integrator: backend-done');
    expect(world.at('backend-done', 'integrator')).toBe('inbox');
    world.drop('frontend → integrator: frontend-done in task');
    expect(world.running('integrator').messages).toEqual(['backend-done', 'frontend-done']);
  });

  it('is remembered as long as mail waits in it', () => {
    const world = new World(joined, { watched: false });
    world.drop('user → architect: task');
    world.turn('architect', ['→ backend: backend-task']);
    world.turn('backend', ['→ integrator: backend-done']);
    for (let count = 0; count < 105; count += 1) {
      world.drop('user → architect: task');
      world.turn('architect');
    }
    expect(world.at('backend-done', 'integrator')).toBe('inbox');
    world.record({ type: 'withdrawn', message: 'backend-done', recipient: 'integrator', notices: [] });
    world.drop('user → architect: task');
    world.turn('architect');
    expect(world.thread('task')).toBe('quiet');
    expect(world.state.ended.has('task')).toBe(true);
  });

  it('is one that a person reads in: nothing happens by that', () => {
    const world = new World(peers('role'));
    world.drop('user → one: go');
    world.turn('one', ['→ user: report']);
    world.record({ type: 'read', message: 'report', recipient: 'user' });
    world.settle();
    expect(world.acts().slice(1)).toEqual(['one takes go', 'one → user: report', 'go is quiet']);
  });

  it('may be one whose mail another protocol has no use for', () => {
    const world = new World(team);
    world.command({ verb: 'pause', target: { kind: 'role', role: 'architect' }, now: false });
    world.drop('user → architect: task');
    world.edit('roles: { other: {} }\nmessages: { task: { from: [user], to: [other] } }');
    expect(world.acts().at(-1)).toBe('task is quiet');
    world.command({ verb: 'unpause', target: { kind: 'all' }, now: false });
    world.edit(team);
    expect(world.processes()).toEqual(['architect in task']);
    expect(world.thread('task')).toBe('open');
  });
});

describe('a thread that fails', () => {
  it('ends everything that runs and waits in it, and `user` is notified', () => {
    const world = new World(peers('role'));
    world.drop('user → one, two: go');
    world.turn('one', ['→ three: ask']);
    world.record({
      type: 'thread-failed',
      thread: 'go',
      reason: { code: 'E_BUDGET', text: 'too dear' },
      notices: [],
    });
    world.settle();
    expect(world.processes()).toEqual([]);
    expect(world.at('ask', 'three')).toBe('failed');
    expect(world.at('go', 'two')).toBe('failed');
    expect(world.state.waits.size).toBe(0);
    expect(world.state.threads.get('go')).toMatchObject({ state: 'failed', reason: { code: 'E_BUDGET' } });
  });

  it('leaves what the role waits for in other threads', () => {
    const world = new World(peers('thread'));
    world.drop('user → one: go');
    world.drop('user → one: go');
    world.turn('one', ['→ two: ask'], { in: 'go' });
    world.turn('one', ['→ two: ask'], { in: 'go2' });
    world.command({ verb: 'cancel', target: { kind: 'thread', thread: 'go' } });
    expect([...world.state.waits.values()]).toMatchObject([{ thread: 'go2' }]);
  });
});
