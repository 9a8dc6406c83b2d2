import { describe, expect, it } from 'vitest';
import { idleOf } from '../../../src/mail/host/idle.ts';
import { waitingSteps } from '../../../src/mail/host/incoming.ts';
import { team } from './protocols.ts';
import { World } from './world.ts';

function waiting(world: World): string[] {
  return waitingSteps(world.state, world.protocol).get('run') ?? [];
}

describe('a step of a run', () => {
  it('ends with the final text of the turn that takes it up', () => {
    const world = new World(team);
    world.step('architect');
    expect(world.processes()).toEqual(['architect in step']);
    expect(world.heard()).toEqual({});
    world.turn('architect', [], { text: 'it is done' });
    expect(world.heard()).toEqual({ step: 'it is done' });
    expect(world.state.waits.size).toBe(0);
    expect(idleOf(world.state, world.protocol, world.now)).toBe('done');
  });

  it('is quiet when it is done, and no one is notified', () => {
    const world = new World(team);
    world.step('architect');
    world.turn('architect', [], { text: 'it is done' });
    expect(world.thread('step')).toBe('quiet');
    expect(world.notices()).toEqual([]);
  });

  it('ends with a turn that says nothing', () => {
    const world = new World(team);
    world.step('architect');
    world.turn('architect', []);
    expect(world.heard()).toEqual({ step: '' });
  });

  it('is taken up by a role whatever that expects', () => {
    const world = new World(team);
    world.step('engineer');
    expect(world.processes()).toEqual(['engineer in step']);
  });

  it('ends although its turn sends something that asks for nothing; that continues in the thread', () => {
    const world = new World(team);
    world.step('architect');
    world.turn('architect', ['→ engineer: design'], { text: 'designed' });
    expect(world.heard()).toEqual({ step: 'designed' });
    expect(world.processes()).toEqual(['engineer in step']);
    world.turn('engineer', ['→ user: delivered']);
    expect(world.thread('step')).toBe('closed');
    expect(world.heard()).toEqual({});
  });

  it('waits while requests of its role are open, and ends with the turn after the answer', () => {
    const world = new World(team);
    world.step('engineer');
    expect(waiting(world)).toEqual([]);
    world.turn('engineer', ['→ qa: review-request'], { text: 'wait for the review' });
    expect(world.heard()).toEqual({});
    expect(waiting(world)).toEqual(['step']);
    world.turn('qa', ['→ engineer: review-feedback']);
    expect(waiting(world)).toEqual([]);
    world.turn('engineer', [], { text: 'reviewed' });
    expect(world.heard()).toEqual({ step: 'reviewed' });
  });

  it('ends with a turn that closes the thread', () => {
    const world = new World(team);
    world.step('engineer');
    world.turn('engineer', ['→ user: delivered'], { text: 'delivered' });
    expect(world.thread('step')).toBe('closed');
    expect(world.heard()).toEqual({ step: 'delivered' });
  });

  it('may be answered by a message that a role writes itself', () => {
    const world = new World(team);
    world.step('engineer');
    world.turn('engineer', ['→ workflow: step-result'], { text: 'words that nobody asked for' });
    expect(world.heard()).toEqual({ step: '' });
    expect(world.at('step-result', 'workflow')).toBe('processed');
  });

  it('is the only thing that a result may answer', () => {
    const world = new World(team);
    world.drop('user → architect: task');
    world.turn('architect', ['→ workflow: step-result']);
    expect(world.running('architect').problems[0]).toContain('owes no `step-result`');
    expect(world.drop('user → architect: step')).toContain('there is no type `step`');
  });

  it('cannot be done while its role waits with all its threads', () => {
    const world = new World(team);
    world.drop('user → architect: task');
    world.turn('architect', ['→ engineer: design']);
    world.turn('engineer', ['→ qa: review-request']);
    world.step('engineer');
    expect(world.processes()).toEqual(['qa in task']);
    world.turn('qa', ['→ engineer: review-feedback']);
    world.turn('engineer', []);
    expect(world.processes()).toEqual(['engineer in step']);
  });
});

describe('a step that fails', () => {
  it('tells the run of what may be tried again, when the attempts of the role are used up', () => {
    const world = new World(team);
    world.step('architect');
    for (let attempt = 0; attempt < 3; attempt += 1) {
      expect(world.heard()).toEqual({});
      world.fail('architect');
      world.tick('1h');
    }
    expect(world.heard()).toEqual({ step: 'RETRYABLE_TRANSIENT E_TURN' });
    expect(world.thread('step')).toBe('failed');
    expect(world.at('step', 'architect')).toBe('failed');
  });

  it('tells the run of what can never work', () => {
    const world = new World(team);
    world.step('architect');
    world.fail('architect', { class: 'NON_RETRYABLE' });
    expect(world.heard()).toEqual({ step: 'NON_RETRYABLE E_TURN' });
  });

  it('fails when a turn breaks the protocol once too often', () => {
    const world = new World(team);
    world.step('architect');
    for (let round = 0; round < 3; round += 1) world.turn('architect', ['→ qa: design'], { text: 'done' });
    expect(world.heard()).toEqual({ step: 'NON_RETRYABLE E_FORBIDDEN' });
  });

  it('fails with a request of its role that fails', () => {
    const world = new World(team);
    world.step('engineer');
    world.turn('engineer', ['→ qa: review-request']);
    world.fail('qa', { class: 'NON_RETRYABLE' });
    expect(world.heard()).toEqual({ step: 'NON_RETRYABLE E_TURN' });
  });

  it('fails when its time is over, whether or not its turn runs', () => {
    const world = new World(team);
    world.step('architect', 60_000);
    world.tick('59s');
    expect(world.heard()).toEqual({});
    world.tick('1s');
    expect(world.heard()).toEqual({ step: 'RETRYABLE_TRANSIENT E_TIMEOUT (time)' });
    expect(world.processes()).toEqual([]);
  });

  it('is withdrawn with everything that was said about it', () => {
    const world = new World(team);
    world.step('engineer');
    world.turn('engineer', ['→ qa: review-request']);
    world.command({ verb: 'cancel', target: { kind: 'thread', thread: 'step' } });
    expect(world.processes()).toEqual([]);
    expect(world.heard()).toEqual({ step: 'NON_RETRYABLE E_CANCELLED' });
  });

  it('fails when somebody else closes its thread', () => {
    const world = new World(`
roles: { one: {}, two: {} }
messages:
  note: { from: [one], to: [two] }
  ask: { from: [one], to: [user], reply: [say] }
  say: { from: [user], to: [one] }
  done: { from: [two], to: [user], closes: true }
`);
    world.step('one');
    world.turn('one', ['→ user: ask', '→ two: note']);
    world.turn('two', ['→ user: done']);
    expect(world.heard()).toEqual({ step: 'NON_RETRYABLE E_CANCELLED' });
    expect(world.state.waits.size).toBe(0);
  });

  it('fails when a protocol without its role is read', () => {
    const world = new World(`
roles: { one: {}, two: {} }
messages: { go: { from: [user], to: [one, two] } }
`);
    world.command({ verb: 'pause', target: { kind: 'role', role: 'two' }, now: false });
    world.step('two');
    world.edit(`
roles: { one: {} }
messages: { go: { from: [user], to: [one] } }
`);
    expect(world.heard()).toEqual({ step: 'NON_RETRYABLE E_DEADLOCK' });
    expect(world.notices()[0]).toContain('Stuck');
  });

  it('is heard of again when somebody puts it back and it is done then', () => {
    const world = new World(team);
    world.step('architect');
    world.fail('architect', { class: 'NON_RETRYABLE' });
    world.heard();
    const { message } = world.state.mail.get('step')!;
    world.command({ verb: 'retry', message, role: 'architect' });
    world.turn('architect', [], { text: 'now it is done' });
    expect(world.heard()).toEqual({ step: 'now it is done' });
  });
});

describe('a step for a person', () => {
  const people = `
roles: { ada: { provider: human }, one: {} }
messages: { note: { from: [one], to: [ada] } }
`;

  it('lies in the inbox of the person, who answers by a message', () => {
    const world = new World(people);
    world.step('ada');
    expect(world.at('step', 'ada')).toBe('unread');
    expect(waiting(world)).toEqual(['step']);
    expect(idleOf(world.state, world.protocol, world.now)).toBe('busy');
    expect(world.heard()).toEqual({});
    expect(idleOf(world.state, world.protocol, world.now)).toBe('waiting_for_user');
    expect(world.drop('ada → workflow: step-result re step')).toBe('step-result');
    expect(world.heard()).toEqual({ step: '' });
  });

  it('cannot be answered twice, nor by somebody else', () => {
    const world = new World(people);
    world.step('ada');
    expect(world.drop('user → workflow: step-result re step')).toContain('user owes no `step-result`');
    world.drop('ada → workflow: step-result re step');
    expect(world.drop('ada → workflow: step-result re step')).toContain('ada has already answered');
  });
});
