import { describe, expect, it } from 'vitest';
import { peers } from './protocols.ts';
import { World } from './world.ts';

/** Requests that can be taken up only in a join, so that the rules for nested requests do not help. */
const crossed = `
roles: { one: {}, two: {}, three: {} }
messages:
  go: { from: [user], to: [one, two, three] }
  ask: { from: [one, two], to: [one, two], reply: [say] }
  say: { from: [one, two], to: [one, two] }
  key: { from: [three], to: [one, two] }
  report: { from: [one, two], to: [user] }
expects:
  one: [{ any: [go] }, { all: [ask, key] }]
  two: [{ any: [go] }, { all: [ask, key] }]
`;

describe('whoever waits for what can never come', () => {
  it('is named to user with the chain, and the request at its end is failed back', () => {
    const world = new World(crossed);
    world.drop('user → one: go');
    world.turn('one', ['→ two: ask']);
    expect(world.acts().slice(-2)).toEqual(['ask is failed back to one', 'go fails: E_DEADLOCK']);
    expect(world.notices()[0]).toBe('Stuck: roles wait for each other');
    expect([...world.state.unread.values()][0]?.message.body).toContain('- one waits for two (ask: ask)');
  });

  it('is found in a circle, which is broken at its last request', () => {
    const world = new World(crossed.replace('reply: [say]', 'reply: [say], on_timeout: proceed'));
    world.drop('user → one, two, three: go');
    world.turn('three', ['→ one: key', '→ two: key']);
    world.turn('one', ['→ two: ask']);
    world.acts();
    world.turn('two', ['→ one: ask']);
    expect(world.acts()).toEqual([
      'two → one: ask',
      'ask2 is failed back to two',
      'ask2 goes on without one',
      'two takes notice2',
    ]);
    expect([...world.state.unread.values()].at(-1)?.message.body).toContain(
      '- one waits for two (ask: ask)\n- two waits for one (ask: ask)',
    );
    world.turn('two', ['→ user: report']);
    expect(world.running('two').messages).toEqual(['ask', 'key2']);
  });

  it('is alive while something else may happen in its thread', () => {
    const world = new World(crossed);
    world.drop('user → one, three: go');
    world.turn('one', ['→ two: ask']);
    expect(world.processes()).toEqual(['three in go']);
    world.turn('three', ['→ two: key']);
    expect(world.running('two').messages).toEqual(['ask', 'key']);
  });

  it('is alive while a join is complete and waits for a slot', () => {
    const world = new World(crossed);
    world.drop('user → two: go');
    world.drop('user → one, three: go');
    world.turn('one', ['→ two: ask']);
    world.turn('three', ['→ two: key']);
    expect(world.processes()).toEqual(['two in go']);
    world.turn('two', []);
    expect(world.running('two').messages).toEqual(['ask', 'key']);
  });

  it('is alive by a deadline', () => {
    const world = new World(
      crossed.replace('reply: [say]', 'reply: [say], timeout: 1h, on_timeout: proceed'),
    );
    world.drop('user → one: go');
    world.turn('one', ['→ two: ask']);
    expect(world.acts().at(-1)).toBe('one → two: ask');
    world.tick('1h');
    expect(world.running('one').messages).toEqual(['notice']);
  });

  it('is not alive by a deadline that another of several has left, once its own request was escalated', () => {
    const world = new World(`
roles: { one: {}, two: { retries: 0 }, ada: { provider: human }, four: {} }
messages:
  go: { from: [user], to: [one] }
  ask: { from: [one], to: [two, ada, four], reply: [say], timeout: 1h, on_timeout: escalate, escalate_to: four }
  say: { from: [two, ada, four], to: [one] }
  key: { from: [one], to: [four] }
expects:
  four: [{ all: [ask, key] }]
`);
    world.drop('user → one: go');
    world.turn('one', ['→ two, ada: ask']);
    world.fail('two', { class: 'FATAL' });
    // The request that four has now needs a key, which only one could send, and one waits.
    expect(world.acts()).toContain('ask goes to four');
    expect(world.state.threads.get('go')).toMatchObject({ state: 'failed', reason: { code: 'E_DEADLOCK' } });
  });

  it('is alive by a person, a retry, a reset, a pause', () => {
    const world = new World(peers('role'));
    world.drop('user → one: go');
    world.turn('one', ['→ two: ask']);
    world.fail('two');
    world.tick('1m');
    world.fail('two', { class: 'RETRYABLE_RATE_LIMIT', until: world.now + 3_600_000 });
    world.command({ verb: 'pause', target: { kind: 'role', role: 'two' }, now: false });
    world.tick('2h');
    expect(world.acts().some((act) => act.includes('failed back'))).toBe(false);
    expect(world.state.waits.size).toBe(1);
  });

  it('is alive while the inbox that holds its request has vanished', () => {
    const world = new World(peers('role'));
    world.command({ verb: 'pause', target: { kind: 'role', role: 'two' }, now: false });
    world.drop('user → one: go');
    world.turn('one', ['→ two: ask']);
    world.record({ type: 'vanished', role: 'two', notices: [] });
    world.command({ verb: 'unpause', target: { kind: 'all' }, now: false });
    expect(world.processes()).toEqual([]);
    world.record({ type: 'restored', role: 'two' });
    world.settle();
    expect(world.running('two').messages).toEqual(['ask']);
  });

  it('hangs on all waits that hold back the role that it asked', () => {
    const world = new World(peers('role'));
    world.drop('user → one: go');
    world.drop('user → three: go');
    world.turn('one', ['→ two: ask']);
    world.turn('three', ['→ one: ask']);
    expect(world.state.waits.size).toBe(2);
    world.turn('two', ['→ one: say']);
    world.turn('one', []);
    expect(world.running('one').messages).toEqual(['ask2']);
  });

  it('is failed back when the role that it asked is gone from the protocol', () => {
    const world = new World(peers('role'));
    world.command({ verb: 'pause', target: { kind: 'role', role: 'three' }, now: false });
    world.drop('user → one: go');
    world.turn('one', ['→ three: ask']);
    world.drop('user → two: go');
    world.edit(peers('role').replaceAll(', three', '').replace('  three: { concurrency: 3 }\n', ''));
    expect(world.acts().slice(-2)).toEqual(['ask is failed back to one', 'go fails: E_DEADLOCK']);
  });
});
