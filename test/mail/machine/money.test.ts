import { describe, expect, it } from 'vitest';
import { MailExplainer } from '../../../src/mail/machine/explain/explain.ts';
import type { MailWhy } from '../../../src/mail/machine/explain/words.ts';
import { World } from './world.ts';

function why(world: World, role: string): MailWhy {
  return new MailExplainer(world.state, world.protocol, world.now).role(role);
}

/** Each launch of a role reserves a dollar. */
function limited(limits: string, role = 'budget: { usd: 1, tokens: 100 }, concurrency: 9'): World {
  return new World(`
roles:
  one: { ${role} }
  two: { ${role} }
messages:
  go: { from: [user], to: [one, two] }
  note: { from: [one, two], to: [one, two] }
  report: { from: [one], to: [user] }
  done: { from: [one, two], to: [user], closes: true }
limits: { ${limits} }
`);
}

describe('a launch', () => {
  it('reserves the budget of its role, until it is known what it cost', () => {
    const world = limited('budget: { day: { usd: 10 } }');
    world.drop('user → one: go');
    expect(world.running('one')).toMatchObject({ reserved: true, budget: { usd: 1, tokens: 100 } });
    world.turn('one', ['→ two: note'], { usage: { usd: 0.25, tokens: 7 } });
    const cost = { usd: 0.25, tokens: 7, unpriced: 0 };
    expect(world.state.threads.get('go')?.cost).toEqual(cost);
    expect(world.state.roles.get('one')?.cost).toEqual(cost);
    expect(world.state.spent).toEqual({ day: '2026-01-01', cost });
  });

  it('of a turn without a known price settles at its reservation, marked unpriced', () => {
    const world = limited('budget: { day: { usd: 10 } }');
    world.drop('user → one: go');
    world.turn('one', [], { usage: { usd: null, tokens: 3 } });
    expect(world.state.threads.get('go')?.cost).toEqual({ usd: 1, tokens: 3, unpriced: 1 });
  });

  it.each([
    { usd: 1e308, tokens: 1 },
    { usd: 0.3, tokens: 1e300 },
    { usd: 1001, tokens: 1 },
    { usd: -1, tokens: 1 },
    { usd: NaN, tokens: NaN },
  ])('of a turn that reports %j costs its reservation, and holds up no other thread', (usage) => {
    const world = limited('budget: { thread: { usd: 5 }, day: { usd: 1000 } }');
    world.drop('user → one: go');
    world.turn('one', ['→ user: done'], { usage });
    expect(world.state.spent.cost).toEqual({ usd: 1, tokens: 100, unpriced: 1 });
    world.drop('user → two: go');
    world.fail('two', { usage });
    world.tick('1m');
    expect(world.processes()).toEqual([expect.stringContaining('two in')]);
    expect(world.state.spent.cost).toEqual({ usd: 2, tokens: 200, unpriced: 2 });
  });

  it.each(['turn', 'thread'] as const)('costs its reservation where its %s is cancelled', (kind) => {
    const world = limited('budget: { day: { usd: 10 } }');
    world.drop('user → one: go');
    const target = kind === 'turn' ? { kind, turn: 't1' } : { kind, thread: 'go' };
    world.command({ verb: 'cancel', target });
    expect(world.state.spent.cost).toEqual({ usd: 1, tokens: 100, unpriced: 1 });
  });

  it('of a role without a budget reserves nothing', () => {
    const world = new World('roles: { one: {} }\nmessages: { go: { from: [user], to: [one] } }');
    world.drop('user → one: go');
    world.turn('one', [], { usage: { usd: null, tokens: null } });
    expect(world.state.threads.get('go')?.cost).toEqual({ usd: 0, tokens: 0, unpriced: 1 });
  });

  it('again, after a failure, reserves again; and what the failed one cost is spent', () => {
    const world = limited('budget: { thread: { usd: 2 } }');
    world.drop('user → one: go');
    world.fail('one', { usage: { usd: 0.5, tokens: 1 } });
    world.tick('1m');
    expect(world.running('one')).toMatchObject({ reserved: true, cost: { usd: 0.5 } });
    world.fail('one', { usage: { usd: 0.6, tokens: 1 } });
    expect(world.state.threads.get('go')?.cost.usd).toBe(1.1);
    world.tick('1m');
    expect(world.acts().at(-1)).toBe('go fails: E_BUDGET');
  });
});

describe('what does not fit into a budget', () => {
  it('of the thread waits while others run in it, and starts if they leave enough', () => {
    const world = limited('budget: { thread: { usd: 1.5 } }');
    world.drop('user → one, two: go');
    expect(world.processes()).toEqual(['one in go']);
    world.turn('one', ['→ user: report'], { usage: { usd: 0.5, tokens: 0 } });
    expect(world.processes()).toEqual(['two in go']);
  });

  it('fails the thread when no one runs any more', () => {
    const world = limited('budget: { thread: { usd: 1.5 } }');
    world.drop('user → one, two: go');
    world.turn('one', ['→ user: report'], { usage: { usd: 0.75, tokens: 0 } });
    expect(world.acts().at(-1)).toBe('go fails: E_BUDGET');
    expect(world.at('go', 'two')).toBe('failed');
    expect(world.notices()).toContain('Thread failed: go');
  });

  it('names what failed first, which the money was spent on', () => {
    const world = limited('budget: { thread: { usd: 1.5 } }');
    world.drop('user → one: go');
    world.fail('one', {
      reason: { code: 'E_TURN', text: 'no such module' },
      usage: { usd: null, tokens: 0 },
    });
    world.tick('1m');
    expect(world.acts().at(-1)).toBe('go fails: E_BUDGET');
    expect(world.state.threads.get('go')?.reason?.text).toBe(
      'the rest of the budget of the thread is too small: $1.00 of $1.50 are spent, and it may cost $1.00; what failed first: no such module',
    );
  });

  it('does not take a limit that was used up before for what failed first', () => {
    const world = limited('budget: { thread: { usd: 1.5 } }');
    world.drop('user → one, two: go');
    world.turn('one', ['→ two: note'], { usage: { usd: 0.75, tokens: 0 } });
    expect(world.acts().at(-1)).toBe('go fails: E_BUDGET');
    const { message } = world.state.mail.get('go')!;
    world.command({ verb: 'retry', message, role: 'two' });
    expect(world.notices().filter((each) => each.startsWith('Thread failed'))).toHaveLength(2);
    expect(world.state.threads.get('go')?.reason?.text).not.toContain('what failed first');
  });

  it('names what broke the protocol, where there is no money to correct it', () => {
    const world = limited('budget: { thread: { usd: 1.5 } }');
    world.drop('user → one: go');
    world.turn('one', ['→ two: report'], { usage: { usd: 1, tokens: 0 } });
    expect(world.state.threads.get('go')?.reason?.text).toMatch(
      /it may cost \$1\.00; what failed first: what the turn wrote breaks the protocol: /,
    );
  });

  it('waits even where it can never fit: what runs may end the thread first', () => {
    const world = limited('budget: { thread: { usd: 1 } }');
    world.drop('user → one, two: go');
    world.turn('one', ['→ user: done'], { usage: { usd: 0.9, tokens: 0 } });
    expect(world.thread('go')).toBe('closed');
  });

  it('of the day holds back every thread, and the rest continues on the next day', () => {
    const world = limited('budget: { day: { usd: 2 } }');
    for (let count = 0; count < 3; count += 1) world.drop('user → one: go');
    expect(world.processes()).toEqual(['one in go', 'one in go2']);
    world.turn('one', ['→ user: done'], { in: 'go', usage: { usd: 1, tokens: 0 } });
    expect(world.processes()).toEqual(['one in go2']);
    world.turn('one', ['→ user: done'], { in: 'go2', usage: { usd: 1, tokens: 0 } });
    expect(world.thread('go3')).toBe('open');
    expect(world.processes()).toEqual([]);
    const until = Date.parse('2026-01-02');
    expect(why(world, 'one')).toMatchObject({
      code: 'day_budget',
      reason: 'the budget of a day is used up: $2.00 of $2.00 are spent',
      until,
      act: null,
    });
    world.tick(`${String(until - world.state.now)}ms`);
    expect(world.processes()).toEqual(['one in go3']);
  });

  it('of the day holds back the next attempt and a correction, too', () => {
    const world = limited('budget: { day: { usd: 2 } }');
    world.drop('user → one: go');
    world.drop('user → two: go');
    world.fail('one', { usage: { usd: 1, tokens: 1 } });
    world.turn('two', ['→ user: nonsense'], { usage: { usd: 1, tokens: 0 } });
    world.tick('1h');
    expect(world.processes()).toEqual([]);
    expect(why(world, 'one').code).toBe('day_budget');
    expect(why(world, 'two').code).toBe('day_budget');
    world.tick('1d');
    expect(world.processes()).toEqual(['one in go', 'two in go2']);
  });

  it('of the day that is below that of the role fails the thread', () => {
    const world = limited('budget: { day: { usd: 0.5 } }');
    world.drop('user → one: go');
    expect(world.acts().at(-1)).toBe('go fails: E_BUDGET');
  });

  it('fits again on the next day', () => {
    const world = limited('budget: { day: { usd: 1 } }');
    world.drop('user → one: go');
    world.turn('one', ['→ user: done'], { usage: { usd: 1, tokens: 0 } });
    world.tick('12h');
    world.drop('user → one: go');
    expect(world.processes()).toEqual(['one in go2']);
    world.turn('one', ['→ user: report'], { usage: { usd: 0.25, tokens: 0 } });
    expect(world.state.spent.cost.usd).toBe(0.25);
    world.drop('user → one: go');
    expect(world.thread('go3')).toBe('open');
    expect(world.processes()).toEqual([]);
  });

  it('counts tokens as well as dollars', () => {
    const world = limited('budget: { thread: { tokens: 150 } }');
    world.drop('user → one, two: go');
    world.turn('one', ['→ user: report'], { usage: { usd: 0, tokens: 60 } });
    expect(world.acts().at(-1)).toBe('go fails: E_BUDGET');
  });

  it('does not hold back other threads', () => {
    const world = limited('budget: { thread: { usd: 1 } }', 'budget: { usd: 1 }, concurrency: 2');
    world.drop('user → one, two: go');
    world.drop('user → two: go');
    expect(world.processes()).toEqual(['one in go', 'two in go2']);
  });

  it('is the same for a correction: it waits, then fails the thread', () => {
    const world = limited('budget: { thread: { usd: 2 } }');
    world.drop('user → one, two: go');
    world.turn('one', ['→ user: nonsense'], { usage: { usd: 0.5, tokens: 0 } });
    expect(world.processes()).toEqual(['two in go']);
    world.turn('two', ['→ one: note'], { usage: { usd: 0.75, tokens: 0 } });
    expect(world.acts().at(-1)).toBe('go fails: E_BUDGET');
  });

  it('of a correction starts when there is enough again', () => {
    const world = limited('budget: { thread: { usd: 2 } }');
    world.drop('user → one, two: go');
    world.turn('one', ['→ user: nonsense'], { usage: { usd: 0.5, tokens: 0 } });
    world.turn('two', ['→ one: note'], { usage: { usd: 0.25, tokens: 0 } });
    expect(world.running('one').round).toBe(1);
  });

  it('of several corrections at once is counted for each', () => {
    const world = limited('budget: { day: { usd: 2.5 } }');
    world.drop('user → one: go');
    world.drop('user → two: go');
    world.command({ verb: 'pause', target: { kind: 'all' }, now: false });
    const wrong = world.running('one').budget;
    expect(wrong?.usd).toBe(1);
    const before = world.settle.bind(world);
    world.settle = () => {};
    world.turn('one', ['→ user: nonsense'], { usage: { usd: 0.5, tokens: 0 } });
    world.turn('two', ['→ user: nonsense'], { usage: { usd: 0.5, tokens: 0 } });
    world.settle = before;
    world.settle();
    expect(world.processes()).toEqual(['one in go']);
  });

  it('of a correction in a thread that was closed fails the turn, not the thread', () => {
    const world = limited('budget: { thread: { usd: 2 } }');
    world.drop('user → one, two: go');
    world.turn('one', ['→ user: done'], { usage: { usd: 1, tokens: 0 } });
    world.turn('two', ['→ user: nonsense'], { usage: { usd: 1, tokens: 0 } });
    expect(world.acts().at(-1)).toBe('two fails: E_BUDGET');
    expect(world.thread('go')).toBe('closed');
  });
});

describe('turns per thread', () => {
  it('are bounded: the next one fails the thread', () => {
    const world = limited('turns_per_thread: 2');
    world.drop('user → one: go');
    world.turn('one', ['→ two: note']);
    world.turn('two', ['→ one: note']);
    expect(world.acts().at(-1)).toBe('go fails: E_TURNS');
    expect(world.at('note2', 'one')).toBe('failed');
  });

  it('are bounded also when several would begin at once', () => {
    const world = limited('turns_per_thread: 2');
    world.drop('user → one: go');
    world.turn('one', ['→ one, two: note']);
    expect(world.processes()).toEqual(['one in go']);
  });

  it('count no further attempts, nor corrections', () => {
    const world = limited('turns_per_thread: 1');
    world.drop('user → one: go');
    world.fail('one');
    world.tick('1m');
    world.turn('one', ['→ two: nonsense']);
    world.turn('one', ['→ user: report']);
    expect(world.acts().at(-1)).toBe('go is quiet');
  });

  it('that are used up let those finish that run: they may close the thread', () => {
    const world = limited('turns_per_thread: 2');
    world.drop('user → one: go');
    world.turn('one', ['→ two, one: note']);
    expect(world.processes()).toHaveLength(1);
    world.fail('one');
    expect(world.thread('go')).toBe('open');
    world.tick('1m');
    world.turn('one', ['→ user: done']);
    expect(world.thread('go')).toBe('closed');
  });
});
