import { describe, expect, it } from 'vitest';
import { peers, team } from './protocols.ts';
import { World } from './world.ts';

describe('while a role waits, a request', () => {
  it('from the role that it waits for comes in, and then it waits on', () => {
    const world = new World(peers('role'));
    world.drop('user → one: go');
    world.turn('one', ['→ two: ask']);
    world.turn('two', ['→ one: ask']);
    expect(world.running('one')).toMatchObject({ messages: ['ask2'], nesting: 1, mustAnswer: false });
    world.turn('one', ['→ two: say']);
    world.turn('two', ['→ one: say']);
    expect(world.running('one')).toMatchObject({ messages: ['say2'], wait: 'w1', nesting: 0 });
  });

  it('from a role that it waits for through others comes in too', () => {
    const world = new World(peers('role'));
    world.drop('user → one: go');
    world.turn('one', ['→ two: ask']);
    world.turn('two', ['→ three: ask']);
    world.turn('three', ['→ one: ask']);
    expect(world.running('one').messages).toEqual(['ask3']);
  });

  it('from such a role comes in, in whatever thread', () => {
    const world = new World(peers('role'));
    world.drop('user → one: go');
    world.drop('user → two: go');
    world.turn('one', ['→ two: ask']);
    world.turn('two', ['→ one: ask'], { in: 'go2' });
    expect(world.running('one', 'go2').messages).toEqual(['ask2']);
  });

  it('from anybody else stays outside', () => {
    const world = new World(peers('role'));
    world.drop('user → one: go');
    world.drop('user → three: go');
    world.turn('one', ['→ two: ask']);
    world.turn('three', ['→ one: ask']);
    expect(world.processes()).toEqual(['two in go']);
    world.turn('two', ['→ one: say']);
    world.turn('one');
    expect(world.running('one').messages).toEqual(['ask2']);
  });

  it('passes mail of its thread that stays outside', () => {
    const world = new World(peers('thread'));
    world.drop('user → one: go');
    world.turn('one', ['→ two: ask']);
    world.drop('user → one: go in go');
    world.turn('two', ['→ one: ask']);
    expect(world.running('one').messages).toEqual(['ask2']);
    expect(world.at('go2', 'one')).toBe('inbox');
  });

  it('comes in alone, and is joined with no other', () => {
    const world = new World(`
roles: { one: {}, two: {} }
messages:
  go: { from: [user], to: [one] }
  ask: { from: [one], to: [two], reply: [say], blocking: role }
  left: { from: [two], to: [one], reply: [told], blocking: false }
  right: { from: [two], to: [one], reply: [told], blocking: false }
  told: { from: [one], to: [two] }
  say: { from: [two], to: [one] }
expects:
  one: [{ any: [go, say] }, { all: [left, right] }]
`);
    world.drop('user → one: go');
    world.turn('one', ['→ two: ask']);
    world.turn('two', ['→ one: left', '→ one: right']);
    expect(world.processes()).toEqual([]);
  });

  it('is all that comes in: other mail of the same sender does not', () => {
    const world = new World(peers('role'));
    world.drop('user → one: go');
    world.turn('one', ['→ two: ask']);
    world.drop('two → one: note in go');
    expect(world.processes()).toEqual(['two in go']);
  });
});

describe('nesting', () => {
  const shallow = `${peers('role')}limits: { nesting: 2 }\n`;

  function deep(): World {
    const world = new World(shallow);
    world.drop('user → one: go');
    world.turn('one', ['→ two: ask']);
    world.turn('two', ['→ one: ask']);
    world.turn('one', ['→ two: ask']);
    world.turn('two', ['→ one: ask']);
    return world;
  }

  it('ends at the limit: there a turn must answer', () => {
    const world = deep();
    expect(world.running('one')).toMatchObject({ nesting: 2, mustAnswer: true });
    world.acts();
    world.turn('one', ['→ three: ask']);
    expect(world.acts()[0]).toContain('nested as deep as allowed');
    world.turn('one', ['→ two: say']);
    expect(world.acts()).toEqual(['one → two: say', 'two takes say']);
  });

  it('is undone in the order in which it came', () => {
    const world = deep();
    world.turn('one', ['→ two: say']);
    world.turn('two', ['→ one: say']);
    world.turn('one', ['→ two: say']);
    world.turn('two', ['→ one: say']);
    world.turn('one', []);
    expect(world.acts().filter((act) => act.includes('takes'))).toEqual([
      'one takes go',
      'two takes ask',
      'one takes ask2',
      'two takes ask3',
      'one takes ask4',
      'two takes say',
      'one takes say2',
      'two takes say3',
      'one takes say4',
    ]);
  });

  it('does not count waits that hold nothing back', () => {
    const world = new World(`${peers('false')}limits: { nesting: 1 }\n`);
    world.drop('user → one: go');
    world.turn('one', ['→ two: ask']);
    world.turn('two', ['→ one: ask']);
    expect(world.running('one')).toMatchObject({ nesting: 0, mustAnswer: false });
  });

  it('counts waits of other threads only where they hold back the role', () => {
    const world = new World(`${peers('thread')}limits: { nesting: 1 }\n`);
    world.drop('user → one: go');
    world.drop('user → one: go');
    world.turn('one', ['→ two: ask'], { in: 'go' });
    expect(world.running('one', 'go2').nesting).toBe(0);
    world.turn('two', ['→ one: ask']);
    expect(world.running('one', 'go')).toMatchObject({ nesting: 1, mustAnswer: true });
  });
});

describe('a debt', () => {
  it('is paid with the answer', () => {
    const world = new World(peers('role'));
    world.drop('user → one: go');
    world.turn('one', ['→ two: ask']);
    expect(world.running('two').owes).toEqual([{ request: 'ask', recipient: 'two' }]);
    world.turn('two', ['→ three: note']);
    expect(world.acts().at(-1)).toBe(
      'two is corrected: an answer is owed: `say` to one, in reply to ask (ask)',
    );
    world.turn('two', [], { text: 'Words', finalText: '→ three: note' });
    expect(world.acts().at(-1)).toContain('an answer is owed');
    world.turn('two', ['→ one: say', '→ three: note']);
    expect(world.acts().slice(0, 2)).toEqual(['two → one: say', 'two → three: note']);
  });

  it('stays through a request of its own, and comes back with the reply', () => {
    const world = new World(peers('role'));
    world.drop('user → one: go');
    world.turn('one', ['→ two: ask']);
    world.turn('two', ['→ three: ask']);
    expect(world.state.waits.get('w2')?.owes).toEqual([{ request: 'ask', recipient: 'two' }]);
    world.turn('three', ['→ two: say']);
    expect(world.running('two').owes).toEqual([{ request: 'ask', recipient: 'two' }]);
    world.turn('two', []);
    expect(world.acts().at(-1)).toContain('an answer is owed');
    world.turn('two', ['→ three: ask']);
    world.turn('three', ['→ two: say']);
    world.turn('two', ['→ one: say']);
    expect(world.running('one').messages).toEqual(['say3']);
  });

  it('stays through a request that blocks nothing', () => {
    const world = new World(peers('false'));
    world.drop('user → one: go');
    world.turn('one', ['→ two: ask']);
    world.turn('two', ['→ three: ask']);
    world.turn('three', ['→ two: say']);
    world.turn('two', []);
    expect(world.acts().at(-1)).toContain('an answer is owed');
  });

  it('that is never paid fails the turn, and the request ends as it says', () => {
    const world = new World(team);
    world.drop('user → architect: task');
    world.turn('architect', ['→ engineer: design']);
    world.turn('engineer', ['→ architect: question']);
    world.acts();
    for (let round = 0; round <= 2; round += 1) world.turn('architect', []);
    expect(world.acts().slice(2)).toEqual(['architect fails: E_FORBIDDEN', 'question goes to user']);
    expect(world.at('question', 'architect')).toBe('failed');
    expect(world.notices()).toEqual(['Turn t3 of architect failed']);
  });

  it('is not owed any more once another has paid it', () => {
    const world = new World(team);
    world.drop('user → architect: task');
    world.turn('architect', ['→ engineer: design']);
    world.turn('engineer', ['→ architect: question']);
    world.tick('31m');
    world.drop('user → engineer: answer re question');
    world.turn('architect', []);
    expect(world.acts().slice(-3)).toEqual([
      'user → engineer: answer',
      'engineer takes answer',
      'architect is done',
    ]);
  });

  it('to several askers is paid to each, or carried on', () => {
    const world = new World(`
roles: { one: {}, two: {}, boss: {} }
messages:
  go: { from: [user], to: [one, two] }
  left: { from: [one], to: [boss], reply: [say] }
  right: { from: [two], to: [boss], reply: [say] }
  check: { from: [boss], to: [user], reply: [checked] }
  checked: { from: [user], to: [boss] }
  say: { from: [boss], to: [one, two] }
expects:
  boss: [{ all: [left, right] }]
`);
    world.drop('user → one, two: go');
    world.turn('one', ['→ boss: left']);
    world.turn('two', ['→ boss: right']);
    expect(world.running('boss').owes).toHaveLength(2);
    world.acts();
    world.turn('boss', ['→ one: say']);
    expect(world.acts()[0]).toContain('an answer is owed: `say` to two');
    world.turn('boss', ['→ one: say', '→ user: check']);
    world.drop('user → boss: checked re check');
    expect(world.running('boss').owes).toEqual([{ request: 'right', recipient: 'boss' }]);
  });
});
