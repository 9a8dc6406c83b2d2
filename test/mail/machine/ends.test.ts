import { describe, expect, it } from 'vitest';
import { peers, team } from './protocols.ts';
import { World } from './world.ts';

/** An engineer that has asked; the architect is at it. */
function asked(text = team): World {
  const world = new World(text);
  world.drop('user → architect: task');
  world.turn('architect', ['→ engineer: design']);
  world.turn('engineer', ['→ architect: question']);
  world.acts();
  return world;
}

const proceeding = team.replace('timeout: 30m', 'timeout: 30m\n    on_timeout: proceed');
const failing = team.replace('timeout: 30m', 'timeout: 30m\n    on_timeout: fail');
const toQa = team
  .replace('timeout: 30m', 'timeout: 30m\n    escalate_to: qa')
  .replace('answer: { from: [architect, user]', 'answer: { from: [architect, user, qa]')
  .replace('expects:', 'expects:\n  qa: [{ any: [question, review-request, answer] }]');

describe('a request whose time is over', () => {
  it('is looked at when its time is over, and not before', () => {
    const world = asked();
    expect(world.decision.wake).toBe(world.now + 30 * 60_000);
    world.tick('29m59s');
    expect(world.acts()).toEqual([]);
    world.tick('1s');
    expect(world.acts()).toEqual(['question goes to user']);
    expect(world.decision.wake).toBeNull();
  });

  it('goes to user as well by default, and the first reply counts', () => {
    const world = asked();
    world.tick('30m');
    expect(world.at('question', 'user')).toBe('unread');
    world.drop('user → engineer: answer re question');
    expect(world.running('engineer').messages).toEqual(['answer']);
  });

  it('and whose first recipient answers after all: that reply counts', () => {
    const world = asked();
    world.tick('30m');
    world.turn('architect', ['→ engineer: answer']);
    expect(world.running('engineer').messages).toEqual(['answer']);
    expect(world.drop('user → engineer: answer re question')).toBe('answer2');
    expect(world.acts().at(-1)).toBe('user → engineer: answer (late)');
    expect(world.at('answer2', 'engineer')).toBe('processed');
  });

  it('goes to the role that escalate_to names, which then owes the answer', () => {
    const world = asked(toQa);
    world.tick('30m');
    expect(world.running('qa')).toMatchObject({
      messages: ['question'],
      owes: [{ request: 'question', recipient: 'architect' }],
    });
    world.turn('qa', ['→ engineer: answer']);
    expect(world.running('engineer').messages).toEqual(['answer']);
  });

  it('has no second time: whom it went to may take as long as it takes', () => {
    const world = asked();
    world.tick('30m');
    world.tick('9d');
    expect(world.acts()).toEqual(['question goes to user']);
  });

  it('is not escalated to whom it asks already: then the thread fails', () => {
    const world = new World(team);
    world.drop('user → architect: task');
    world.turn('architect', ['→ engineer: design']);
    world.turn('engineer', ['→ user: question']);
    world.tick('30m');
    expect(world.acts().at(-1)).toBe('task fails: E_TIMEOUT');
  });

  it('nor to whom it is from', () => {
    const world = new World(`
roles: { one: {}, two: {} }
messages:
  ask: { from: [user, two], to: [one], reply: [say], timeout: 1m, on_timeout: escalate }
  say: { from: [one, user], to: [user, two] }
  go: { from: [user], to: [two] }
`);
    world.drop('user → one: ask');
    world.tick('1m');
    expect(world.acts().at(-1)).toBe('ask fails: E_TIMEOUT');
  });

  it('proceeds with a notice in place of the reply', () => {
    const world = asked(proceeding);
    world.tick('30m');
    expect(world.acts()).toEqual(['question goes on without architect', 'engineer takes notice']);
    expect(world.state.mail.get('notice')?.message).toMatchObject({
      from: 'mailroom',
      to: ['engineer'],
      inReplyTo: 'question',
      subject: 'No answer from architect: question',
    });
    world.turn('architect', ['→ engineer: answer']);
    expect(world.acts().at(-1)).toBe('architect → engineer: answer (late)');
    expect(world.at('answer', 'engineer')).toBe('processed');
  });

  it('fails its thread', () => {
    const world = asked(failing);
    world.tick('30m');
    expect(world.acts()).toEqual(['task fails: E_TIMEOUT']);
    expect(world.processes()).toEqual([]);
    expect(world.notices()).toEqual(['Thread failed: task']);
    expect(world.at('question', 'architect')).toBe('failed');
  });

  it('fails its thread where no one could take it over', () => {
    const world = new World(`
roles: { one: {}, two: {} }
messages:
  go: { from: [user], to: [one] }
  ask: { from: [one], to: [two], reply: [say], timeout: 1m }
  say: { from: [two], to: [one] }
`);
    world.drop('user → one: go');
    world.turn('one', ['→ two: ask']);
    world.tick('1m');
    expect(world.acts().at(-1)).toBe('go fails: E_TIMEOUT');
  });

  it('ends for each recipient that has not answered', () => {
    const world = new World(peers('role', ', timeout: 1m, on_timeout: proceed'));
    world.drop('user → one: go');
    world.turn('one', ['→ two, three: ask']);
    world.turn('two', ['→ one: say']);
    world.tick('1m');
    expect(world.acts().slice(-2)).toEqual(['ask goes on without three', 'one takes say, notice']);
  });

  it('counts nothing as late that was there in time', () => {
    const world = asked();
    world.now += 31 * 60_000;
    world.turn('architect', ['→ engineer: answer']);
    expect(world.acts()).toEqual(['architect → engineer: answer', 'engineer takes answer']);
  });

  it('is not asked any more once it is settled: a copy that still waits is filed', () => {
    const world = new World(proceeding);
    world.command({ verb: 'pause', target: { kind: 'role', role: 'qa' }, now: false });
    world.drop('user → architect: task');
    world.turn('architect', ['→ engineer: design']);
    world.turn('engineer', ['→ architect: question']);
    world.command({ verb: 'cancel', target: { kind: 'turn', turn: 't3' } });
    expect(world.acts().slice(-2)).toEqual(['question goes on without architect', 'engineer takes notice']);
  });
});

describe('a request that ends in failed/', () => {
  it('ends the wait at once, as its on_timeout says', () => {
    const world = asked(proceeding);
    world.fail('architect', { class: 'NON_RETRYABLE' });
    expect(world.acts()).toEqual([
      'architect fails: E_TURN',
      'question goes on without architect',
      'engineer takes notice2',
    ]);
  });

  it('and was escalated before its time keeps the time of its other recipients', () => {
    const text = team.replace('to: [architect, user]', 'to: [architect, qa]');
    const both = text.replace('answer: { from: [architect, user]', 'answer: { from: [architect, user, qa]');
    const world = new World(both);
    world.drop('user → architect: task');
    world.turn('architect', ['→ engineer: design']);
    world.turn('engineer', ['→ architect, qa: question']);
    world.fail('architect', { class: 'NON_RETRYABLE' });
    world.acts();
    expect(world.decision.wake).not.toBeNull();
    world.tick('30m');
    expect(world.acts()).toEqual(['question goes to user']);
    world.drop('user → engineer: answer re question');
    expect(world.running('engineer').messages).toEqual(['answer']);
  });

  it('fails its thread when the role that it was escalated to fails as well', () => {
    const world = asked(toQa);
    world.fail('architect', { class: 'NON_RETRYABLE' });
    world.fail('qa', { class: 'NON_RETRYABLE' });
    expect(world.acts()).toEqual([
      'architect fails: E_TURN',
      'question goes to qa',
      'qa takes question',
      'qa fails: E_TURN',
      'task fails: E_TURN',
    ]);
  });

  it('because its file was withdrawn ends as its on_timeout says', () => {
    const world = new World(team);
    world.command({ verb: 'pause', target: { kind: 'role', role: 'qa' }, now: false });
    world.drop('user → architect: task');
    world.turn('architect', ['→ engineer: design']);
    world.turn('engineer', ['→ qa: review-request']);
    world.record({ type: 'withdrawn', message: 'review-request', recipient: 'qa', notices: [] });
    world.settle();
    expect(world.acts().at(-1)).toBe('task fails: E_CANCELLED');
  });

  it('because a debtor fails later ends then: the debt went with its own request', () => {
    const world = new World(peers('role', ', on_timeout: proceed'));
    world.drop('user → one: go');
    world.turn('one', ['→ two: ask']);
    world.turn('two', ['→ three: ask']);
    world.turn('three', ['→ two: say']);
    world.fail('two', { class: 'FATAL' });
    expect(world.acts().slice(-3)).toEqual([
      'two fails: E_TURN',
      'ask goes on without two',
      'one takes notice2',
    ]);
  });
});

describe('escalating to a role that has the request as well', () => {
  const both = `
roles: { one: {}, two: {}, three: {} }
messages:
  go: { from: [user], to: [one] }
  ask: { from: [one], to: [two, three], reply: [say], escalate_to: three, on_timeout: escalate }
  say: { from: [two, three, user], to: [one] }
`;

  function twoFails(before: (world: World) => void): World {
    const world = new World(both);
    world.drop('user → one: go');
    world.turn('one', ['→ two, three: ask']);
    before(world);
    world.acts();
    world.fail('two', { class: 'NON_RETRYABLE' });
    return world;
  }

  it('and is at it: one answer does for both', () => {
    const world = twoFails(() => {});
    expect(world.running('three').owes).toHaveLength(2);
    world.turn('three', ['→ one: say']);
    expect(world.acts()).toEqual([
      'two fails: E_TURN',
      'ask goes to three',
      'three → one: say',
      'one takes say',
    ]);
  });

  it('and has answered: that answer does for both', () => {
    const world = twoFails((one) => one.turn('three', ['→ one: say']));
    expect(world.acts().slice(1)).toEqual(['ask goes to three', 'one takes say']);
  });

  it('and has put it off: its later answer does for both', () => {
    const text = both.replace(
      'go: { from: [user], to: [one] }',
      `go: { from: [user], to: [one] }
  why: { from: [three], to: [user], reply: [because] }
  because: { from: [user], to: [three] }`,
    );
    const world = new World(text);
    world.drop('user → one: go');
    world.turn('one', ['→ two, three: ask']);
    world.turn('three', ['→ user: why']);
    world.fail('two', { class: 'NON_RETRYABLE' });
    world.drop('user → three: because re why');
    expect(world.running('three').owes).toHaveLength(2);
    world.turn('three', ['→ one: say']);
    expect(world.running('one').messages).toEqual(['say']);
  });
});

describe('a time in which the controller did not run', () => {
  const hours = 8 * 3_600_000;

  /** Two has a request of one with a minute to answer, of which half is left. */
  function halfway(): World {
    const world = new World(peers('role', ', timeout: 1m, on_timeout: fail'));
    world.drop('user → one: go');
    world.turn('one', ['→ two: ask']);
    world.tick('30s');
    world.now += hours;
    world.record({ type: 'suspended', ms: hours });
    world.settle();
    return world;
  }

  it('is not the time to answer a request', () => {
    const answered = halfway();
    answered.tick('29s');
    expect(answered.thread('go')).toBe('open');
    answered.turn('two', ['→ one: say']);
    expect(answered.processes()).toEqual(['one in go']);
    const late = halfway();
    late.tick('31s');
    expect(late.thread('go')).toBe('failed');
  });

  it('between two controllers is not the time to answer, either', () => {
    const world = new World(peers('role', ', timeout: 1m, on_timeout: fail'));
    world.drop('user → one: go');
    world.turn('one', ['→ two: ask']);
    world.tick('30s');
    world.record({ type: 'projected', through: world.state.events });
    world.now += hours;
    world.record({ type: 'started', version: 'test', protocol: 'one' });
    world.settle();
    world.tick('29s');
    expect(world.thread('go')).toBe('open');
    world.tick('2s');
    expect(world.thread('go')).toBe('failed');
  });

  it('is not the time of a turn', () => {
    const world = new World(peers('role'));
    world.drop('user → one: go');
    const since = () => {
      const { phase } = world.running('one');
      return phase.is === 'active' ? world.now - phase.since : null;
    };
    world.tick('30s');
    expect(since()).toBe(30_000);
    world.now += hours;
    world.record({ type: 'suspended', ms: hours });
    expect(since()).toBe(30_000);
    expect(world.now - world.running('one').claimedAt).toBe(30_000);
    world.record({ type: 'suspended', ms: hours });
    expect(since()).toBe(0);
  });
});
