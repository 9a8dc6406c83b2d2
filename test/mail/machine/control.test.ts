import { describe, expect, it } from 'vitest';
import { peers, team } from './protocols.ts';
import { World } from './world.ts';

const all = { kind: 'all' } as const;
const one = { kind: 'role', role: 'one' } as const;

function two(): World {
  const world = new World(peers('role'));
  world.drop('user → one: go');
  world.drop('user → two: go');
  world.acts();
  return world;
}

describe('pause', () => {
  it('holds back starts; what runs continues, with its corrections', () => {
    const world = two();
    world.command({ verb: 'pause', target: one, now: false });
    world.drop('user → one: go');
    expect(world.processes()).toEqual(['one in go', 'two in go2']);
    world.turn('one', ['→ user: nonsense']);
    expect(world.running('one', 'go').round).toBe(1);
    world.turn('one', ['→ two: note'], { in: 'go' });
    expect(world.at('go3', 'one')).toBe('inbox');
    world.command({ verb: 'unpause', target: one, now: false });
    expect(world.running('one').messages).toEqual(['go3']);
  });

  it('--now stops what runs and puts it back, uncounted', () => {
    const world = two();
    world.command({ verb: 'pause', target: one, now: true });
    expect(world.processes()).toEqual(['two in go2']);
    expect(world.decision.wake).toBeNull();
    world.command({ verb: 'unpause', target: one, now: false });
    expect(world.running('one')).toMatchObject({ attempt: 2, failures: 0 });
  });

  it('of a thread holds back that thread, of all holds back everything', () => {
    const world = new World(peers('role'));
    world.command({ verb: 'pause', target: all, now: false });
    world.drop('user → one: go');
    world.drop('user → one: go');
    expect(world.processes()).toEqual([]);
    expect(world.command({ verb: 'pause', target: { kind: 'thread', thread: 'go' }, now: true })).toBeNull();
    world.command({ verb: 'unpause', target: all, now: false });
    expect(world.processes()).toEqual(['one in go', 'one in go2']);
    world.command({ verb: 'pause', target: { kind: 'thread', thread: 'go' }, now: true });
    expect(world.processes()).toEqual(['one in go2']);
    world.command({ verb: 'unpause', target: { kind: 'thread', thread: 'go' }, now: false });
    expect(world.processes()).toHaveLength(2);
    world.command({ verb: 'pause', target: all, now: true });
    expect(world.processes()).toEqual([]);
  });

  it('holds back the next attempt of a turn', () => {
    const world = two();
    world.fail('one');
    world.command({ verb: 'pause', target: one, now: false });
    world.tick('1m');
    expect(world.processes()).toEqual(['two in go2']);
    world.command({ verb: 'unpause', target: one, now: false });
    expect(world.running('one').attempt).toBe(2);
  });
});

describe('cancel', () => {
  it('of a turn files its messages in failed/, and its process is wanted no more', () => {
    const world = two();
    world.command({ verb: 'cancel', target: { kind: 'turn', turn: 't1' } });
    expect(world.state.mail.get('go')?.deliveries.get('one')).toMatchObject({
      at: 'failed',
      reason: { code: 'E_CANCELLED', text: 'cancelled by ada' },
    });
    expect(world.processes()).toEqual(['two in go2']);
    expect(world.thread('go')).toBe('quiet');
  });

  it('of a turn releases who waits for it', () => {
    const world = new World(team.replace('timeout: 30m', 'on_timeout: proceed'));
    world.drop('user → architect: task');
    world.turn('architect', ['→ engineer: design']);
    world.turn('engineer', ['→ architect: question']);
    world.command({ verb: 'cancel', target: { kind: 'turn', turn: 't3' } });
    expect(world.acts().slice(-2)).toEqual(['question goes on without architect', 'engineer takes notice']);
  });

  it('of a turn in backoff ends it', () => {
    const world = two();
    world.fail('one');
    world.command({ verb: 'cancel', target: { kind: 'turn', turn: 't1' } });
    world.tick('1h');
    expect(world.at('go', 'one')).toBe('failed');
    expect(world.processes()).toEqual(['two in go2']);
  });

  it('of a thread files all its mail, and releases who waits in it', () => {
    const world = two();
    world.turn('one', ['→ three: ask']);
    world.drop('user → one: go');
    world.command({ verb: 'cancel', target: { kind: 'thread', thread: 'go' } });
    expect(world.at('ask', 'three')).toBe('failed');
    expect(world.thread('go')).toBe('failed');
    expect(world.running('one').messages).toEqual(['go3']);
  });

  it('is too late after the commit, and says so', () => {
    const world = two();
    world.turn('one', ['→ three: note']);
    expect(world.command({ verb: 'cancel', target: { kind: 'turn', turn: 't1' } })).toEqual({
      code: 'E_REFUSED',
      text: 'turn t1 is over',
    });
    world.turn('three');
    world.command({ verb: 'cancel', target: { kind: 'thread', thread: 'go' } });
    expect(world.command({ verb: 'cancel', target: { kind: 'thread', thread: 'go' } })?.text).toBe(
      'thread go is over: it is failed',
    );
  });
});

describe('a command', () => {
  it.each([
    [{ verb: 'pause', target: { kind: 'role', role: 'nobody' }, now: false }, 'there is no role `nobody`'],
    [{ verb: 'unpause', target: { kind: 'thread', thread: 'none' }, now: false }, 'there is no thread none'],
    [{ verb: 'cancel', target: all }, 'only a thread or a turn can be cancelled'],
    [{ verb: 'cancel', target: one }, 'only a thread or a turn can be cancelled'],
  ] as const)('that cannot be done is refused, and changes nothing', (command, text) => {
    const world = two();
    const before = JSON.stringify(world.decision);
    expect(world.command(command)?.text).toBe(text);
    expect(JSON.stringify(world.decision)).toBe(before);
  });
});

describe('retry', () => {
  function letter(world: World, id: string) {
    const message = world.state.mail.get(id)?.message;
    if (!message) throw new Error(`there is no ${id}`);
    return message;
  }

  it('puts a dead letter back, behind what waits, and its thread continues', () => {
    const world = two();
    world.fail('one', { class: 'FATAL' });
    expect(world.thread('go')).toBe('quiet');
    for (let count = 0; count < 3; count += 1) world.drop('user → one: go');
    world.drop('user → one: go');
    world.command({ verb: 'retry', message: letter(world, 'go'), role: 'one' });
    expect(world.thread('go')).toBe('open');
    world.turn('one', [], { in: 'go3' });
    expect(world.running('one', 'go6').messages).toEqual(['go6']);
    world.turn('one', [], { in: 'go4' });
    expect(world.running('one', 'go')).toMatchObject({ attempt: 1, messages: ['go'] });
    world.turn('one', [], { in: 'go' });
    const copies = ['go', 'go3'].map((id) => world.state.pendingProjections.get(`${id} one`));
    expect(copies).toMatchObject([
      { delivery: { at: 'processed' }, leavesFailed: true },
      { delivery: { at: 'processed' }, leavesFailed: false },
    ]);
  });

  it('asks a request again: its reader owes the answer, and who asked gets it', () => {
    const world = new World(team.replace('timeout: 30m', 'timeout: 30m\n    on_timeout: fail'));
    world.drop('user → architect: task');
    world.turn('architect', ['→ engineer: design']);
    world.turn('engineer', ['→ architect: question']);
    world.fail('architect', { class: 'FATAL' });
    expect(world.thread('task')).toBe('failed');
    world.tick('1h');
    world.command({ verb: 'retry', message: letter(world, 'question'), role: 'architect' });
    expect(world.running('architect').owes).toEqual([{ request: 'question', recipient: 'architect' }]);
    expect(world.decision.wake).toBe(world.now + 30 * 60_000);
    world.turn('architect', ['→ engineer: answer']);
    expect(world.running('engineer').messages).toEqual(['answer']);
  });

  it('of a request that went to another lets both answer', () => {
    const world = new World(team);
    world.drop('user → architect: task');
    world.turn('architect', ['→ engineer: design']);
    world.turn('engineer', ['→ architect: question']);
    world.fail('architect', { class: 'FATAL' });
    world.command({ verb: 'retry', message: letter(world, 'question'), role: 'architect' });
    world.turn('architect', ['→ engineer: answer']);
    expect(world.running('engineer').messages).toEqual(['answer']);
  });

  it('of a letter that was answered for is only mail', () => {
    const world = new World(team.replace('timeout: 30m', 'on_timeout: proceed'));
    world.drop('user → architect: task');
    world.turn('architect', ['→ engineer: design']);
    world.turn('engineer', ['→ architect: question']);
    world.fail('architect', { class: 'FATAL' });
    world.command({ verb: 'retry', message: letter(world, 'question'), role: 'architect' });
    expect(world.running('architect').owes).toEqual([]);
  });

  it('is refused where the journal knows no such message, or not to that role', () => {
    const world = two();
    world.fail('one', { class: 'FATAL' });
    const forged = { ...letter(world, 'go'), id: 'forged', thread: 'forged' };
    const events = world.history.length;
    expect(world.command({ verb: 'retry', message: forged, role: 'three' })).toEqual({
      code: 'E_REFUSED',
      text: 'the journal has no message forged to three',
    });
    expect(world.command({ verb: 'retry', message: letter(world, 'go'), role: 'three' })).toEqual({
      code: 'E_REFUSED',
      text: 'the journal has no message go to three',
    });
    expect(world.history.slice(events).map(({ type }) => type)).toEqual(['controlled', 'controlled']);
  });

  it('is refused where the protocol forbids the message by now', () => {
    const world = two();
    world.fail('one', { class: 'FATAL' });
    const message = letter(world, 'go');
    const { type } = message;
    const rule = world.protocol.types.get(type);
    const types = new Map([...world.protocol.types, [type, { ...rule!, to: ['two'] }]]);
    world.protocol = { ...world.protocol, types };
    expect(world.command({ verb: 'retry', message, role: 'one' })).toEqual({
      code: 'E_FORBIDDEN',
      text: 'the protocol no longer lets user send `go` to one',
    });
  });

  it('is refused for what has not failed, and for who has no turns', () => {
    const world = two();
    world.turn('one', ['→ user: report']);
    expect(world.command({ verb: 'retry', message: letter(world, 'go'), role: 'one' })?.text).toBe(
      'go has not failed for one: it is processed',
    );
    expect(world.command({ verb: 'retry', message: letter(world, 'report'), role: 'user' })?.text).toBe(
      '`user` is not a role that handles mail',
    );
  });

  it('of what is in its inbox again changes nothing', () => {
    const world = two();
    world.fail('one', { class: 'FATAL' });
    const message = letter(world, 'go');
    for (let count = 0; count < 2; count += 1) {
      const command = { verb: 'retry', message, role: 'one' } as const;
      world.record({ type: 'controlled', id: 'c', by: 'ada', command, refusal: null });
    }
    world.settle();
    world.turn('one');
    expect(world.acts().filter((act) => act === 'one takes go')).toHaveLength(1);
  });
});

describe('an inbox that vanished', () => {
  it('parks its role until it is restored', () => {
    const world = two();
    world.record({ type: 'vanished', role: 'one', notices: [] });
    world.drop('user → one: go');
    expect(world.processes()).toEqual(['one in go', 'two in go2']);
    world.record({ type: 'restored', role: 'one' });
    world.settle();
    expect(world.processes()).toHaveLength(3);
  });
});
