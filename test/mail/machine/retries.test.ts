import { describe, expect, it } from 'vitest';
import { MailExplainer } from '../../../src/mail/machine/explain/explain.ts';
import { peers } from './protocols.ts';
import { World } from './world.ts';

/** A lead that gives two builders a part each, and waits; `more`: keys of the message type. */
function parts(more = ''): string {
  return `
roles: { lead: {}, a: {}, b: {}, helper: {} }
messages:
  task: { from: user, to: lead }
  part: { from: lead, to: [a, b], reply: [built], blocking: thread${more} }
  built: { from: [a, b], to: lead }
  ask: { from: [a, b], to: helper, reply: [say], blocking: thread }
  say: { from: helper, to: [a, b] }
  note: { from: [a, b], to: helper }
  done: { from: lead, to: user, closes: true }
start: { type: task, to: lead }
`;
}

/** The lead has asked both builders, by one request or by one each. */
function asked(...parted: readonly string[]): World {
  const world = new World(parts(), { snapshots: true });
  world.drop('user → lead: task');
  world.turn('lead', parted.length > 0 ? parted : ['→ a, b: part']);
  return world;
}

function retry(world: World, id: string, role: string): void {
  const message = world.state.mail.get(id)?.message;
  if (!message) throw new Error(`there is no ${id}`);
  expect(world.command({ verb: 'retry', message, role })).toBeNull();
}

/** Retries what `why` names for a thread. */
function follow(world: World): string {
  const thread = world.state.threads.get('task');
  if (!thread) throw new Error('there is no thread');
  const { act } = new MailExplainer(world.state, world.protocol, world.now).thread(thread);
  if (act?.do !== 'retry') throw new Error(`why names ${act?.do ?? 'nothing'}`);
  retry(world, act.message, act.role);
  return `${act.message} of ${act.role}`;
}

function fail(world: World, role: string): void {
  world.fail(role, { class: 'FATAL' });
}

describe('a retry in a thread that failed while a role waited for several answers', () => {
  it('asks again who failed, and the sender picks up both answers together', () => {
    const world = asked();
    world.turn('b', ['→ lead: built']);
    fail(world, 'a');
    expect(world.thread('task')).toBe('failed');
    retry(world, 'part', 'a');
    expect(world.processes()).toEqual(['a in task']);
    expect(world.at('built', 'lead')).toBe('inbox');
    world.turn('a', ['→ lead: built']);
    expect(world.running('lead').messages).toEqual(['built2', 'built']);
    world.turn('lead', ['→ user: done']);
    expect(world.thread('task')).toBe('closed');
  });

  it.each([['part', 'a'] as const, ['built', 'lead'] as const])(
    'does the same whichever message is retried: %s of %s',
    (id, role) => {
      const world = asked('→ a: part', '→ b: part');
      world.turn('b', ['→ lead: built']);
      fail(world, 'a');
      retry(world, id, role);
      expect(world.processes()).toEqual(['a in task']);
      world.turn('a', ['→ lead: built']);
      expect(world.running('lead').messages).toEqual(['built2', 'built']);
    },
  );

  it('asks again also who was at work, and a second retry, of that, changes nothing', () => {
    const world = asked('→ a: part', '→ b: part');
    fail(world, 'a');
    expect(world.at('part2', 'b')).toBe('failed');
    retry(world, 'part', 'a');
    retry(world, 'part2', 'b');
    expect(world.processes()).toEqual(['a in task', 'b in task']);
    world.turn('b', ['→ lead: built']);
    expect(world.processes()).toEqual(['a in task']);
    world.turn('a', ['→ lead: built']);
    expect(world.running('lead').messages).toEqual(['built2', 'built']);
  });

  it('can be followed by another failure, and another retry', () => {
    const world = asked();
    world.turn('b', ['→ lead: built']);
    for (let round = 0; round < 3; round += 1) {
      fail(world, 'a');
      expect(follow(world)).toBe('part of a');
    }
    world.turn('a', ['→ lead: built']);
    expect(world.running('lead').messages).toEqual(['built2', 'built']);
  });

  it('is named by `why`: of the request without whose answer it failed, not of the newest message', () => {
    const world = asked();
    world.turn('b', ['→ lead: built', '→ helper: note']);
    fail(world, 'a');
    expect(world.at('note', 'helper')).toBe('failed');
    expect(follow(world)).toBe('part of a');
  });

  it('gives the time of the request again', () => {
    const world = new World(parts(', timeout: 30m, on_timeout: fail'));
    world.drop('user → lead: task');
    world.turn('lead', ['→ a, b: part']);
    world.turn('b', ['→ lead: built']);
    world.tick('30m');
    expect(world.thread('task')).toBe('failed');
    world.tick('1h');
    retry(world, 'built', 'lead');
    expect(world.decision.wake).toBe(world.now + 30 * 60_000);
    world.turn('a', ['→ lead: built']);
    expect(world.running('lead').messages).toEqual(['built2', 'built']);
  });

  it('asks a person again, too', () => {
    const world = new World(peers('thread').replace(/three\]/g, 'three, user]'));
    world.drop('user → one: go');
    world.turn('one', ['→ two: ask', '→ user: ask']);
    fail(world, 'two');
    retry(world, 'ask', 'two');
    world.turn('two', ['→ one: say']);
    expect(world.processes()).toEqual([]);
    world.drop('user → one: say re ask2');
    expect(world.running('one').messages).toEqual(['say', 'say2']);
  });
});

describe('a retry of an answer that its reader did not handle', () => {
  it('starts the reader with all answers', () => {
    const world = asked();
    world.turn('a', ['→ lead: built']);
    world.turn('b', ['→ lead: built']);
    fail(world, 'lead');
    expect(world.thread('task')).toBe('quiet');
    follow(world);
    expect(world.running('lead').messages).toEqual(['built', 'built2']);
  });

  it('lets the reader owe what it owed, and who waits for that wait for all', () => {
    const world = asked('→ a: part', '→ b: part');
    world.turn('b', ['→ lead: built']);
    world.turn('a', ['→ helper: ask']);
    world.turn('helper', ['→ a: say']);
    fail(world, 'a');
    expect(world.thread('task')).toBe('failed');
    retry(world, 'say', 'a');
    expect(world.running('a').owes).toEqual([{ request: 'part', recipient: 'a' }]);
    world.turn('a', ['→ lead: built']);
    expect(world.running('lead').messages).toEqual(['built2', 'built']);
  });

  it('asks again below who was asked, where that role had waited itself', () => {
    const world = asked('→ a: part', '→ b: part');
    world.turn('b', ['→ helper: ask']);
    fail(world, 'a');
    expect(world.at('ask', 'helper')).toBe('failed');
    retry(world, 'part', 'a');
    expect(world.processes()).toEqual(['a in task', 'helper in task']);
    world.turn('helper', ['→ b: say']);
    world.turn('b', ['→ lead: built']);
    world.turn('a', ['→ lead: built']);
    expect(world.running('lead').messages).toEqual(['built2', 'built']);
  });
});

describe('a retry beside sub-threads', () => {
  it('opens those again that ended with the thread that waits for them, with their answers', () => {
    const world = new World(`
roles: { lead: {}, a: { concurrency: 2 }, b: {} }
messages:
  task: { from: user, to: lead }
  part: { from: lead, to: a, reply: [built], thread: new }
  check: { from: lead, to: b, reply: [built] }
  built: { from: [a, b], to: lead }
  done: { from: lead, to: user, closes: true }
start: { type: task, to: lead }
`);
    world.drop('user → lead: task');
    world.turn('lead', ['→ a: part', '→ a: part', '→ b: check']);
    world.turn('a', ['→ lead: built'], { in: 'part' });
    fail(world, 'b');
    expect(world.thread('task')).toBe('failed');
    expect(world.thread('part2')).toBe('failed');
    follow(world);
    expect(world.thread('part2')).toBe('open');
    world.turn('b', ['→ lead: built']);
    world.turn('a', ['→ lead: built'], { in: 'part2' });
    expect(world.running('lead').messages).toEqual(['built', 'built3', 'built2']);
  });
});
