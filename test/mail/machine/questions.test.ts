import { describe, expect, it } from 'vitest';
import { MailExplainer } from '../../../src/mail/machine/explain/explain.ts';
import { prompt } from '../../../src/mail/machine/prompt.ts';
import { askedTitle, callText, decidedCalls } from '../../../src/mail/machine/rules/questions.ts';
import { idleOf } from '../../../src/mail/host/idle.ts';
import type { AskedCall } from '../../../src/kernel/asked-call.ts';
import { World } from './world.ts';

const team = (ask = 'user') => `
limits: { corrections: 1, budget: { thread: { usd: 10 } } }
roles:
  ada: { provider: human }
  engineer: { retries: 1, timeout: 10m, budget: { usd: 4 }, ask: ${ask} }
messages:
  task: { from: user, to: engineer }
  done: { from: engineer, to: user, closes: true }
`;

/** An engineer whose agent wants to run commands. */
function asking(commands = ['npm install'], ask?: string): World {
  const world = new World(team(ask));
  world.drop('user → engineer: task');
  world.asks('engineer', commands, { usage: { usd: 1, tokens: 10 } });
  world.acts();
  return world;
}

const approve = (world: World, verb: 'approve' | 'reject' = 'approve', comment: string | null = null) =>
  world.command({ verb, target: { kind: 'turn', turn: 't1' }, comment }, 'user');

const told = (world: World) => {
  const parts = { orders: '', outbox: '/outbox', resumed: true, format: () => '' };
  return prompt(world.state, world.protocol, world.running('engineer'), parts);
};

describe('an agent that asks a person', () => {
  it('waits without a process, and says so', () => {
    const world = asking();
    expect(world.processes()).toEqual([]);
    expect(world.state.turns.get('t1')).toMatchObject({
      reserved: false,
      cost: { usd: 1 },
      phase: { is: 'asking' },
    });
    expect(world.notices()).toEqual(['engineer asks: npm install']);
    const turn = world.state.turns.get('t1')!;
    expect(new MailExplainer(world.state, world.protocol, world.now).turn(turn)).toMatchObject({
      code: 'waiting_for_approval',
      reason: 'turn t1 of engineer waits until user decides about `npm install`',
      act: { do: 'approve', turn: 't1' },
    });
    world.record({ type: 'projected', through: world.state.events });
    expect(idleOf(world.state, world.protocol, world.now)).toBe('waiting_for_user');
  });

  it('shows the person all of what is allowed', () => {
    const [message] = [...asking(['npm install', 'rm -r a\nrm -r b']).state.unread.values()];
    expect(message?.message.body).toContain('```text\nnpm install\n```');
    expect(message?.message.body).toContain('```text\nrm -r a\nrm -r b\n```');
    expect(message?.message.body).toContain('mailroom approve t1\nmailroom reject t1');
  });

  const plain = { key: 'k', kind: 'execute', paths: [], input: null };
  const call = (parts: Partial<AskedCall>): AskedCall => ({ ...plain, title: 'ls', command: 'ls', ...parts });

  it.each<[string, AskedCall[], string]>([
    ['a command', [call({})], 'ls'],
    ['a long command', [call({ command: `ls ${'a'.repeat(200)}` })], `ls ${'a'.repeat(96)}… (in part)`],
    ['what follows many lines', [call({ command: `ls${'\n'.repeat(900)}rm` })], 'in part'],
    ['what follows many spaces', [call({ command: `ls${' '.repeat(900)}rm` })], 'in part'],
    ['a second line', [call({ command: 'ls\nrm' })], String.raw`ls\nrm (in part)`],
    ['other parts', [call({ input: '{"env":{}}' })], 'ls (in part)'],
    ['its paths', [call({ paths: ['/srv/a'] })], 'ls (in part)'],
    ['a path', [call({ command: null, paths: ['/srv/a'] })], '/srv/a (in part)'],
    ['a tool', [call({ command: null, title: 'Fetch', input: '{}' })], 'Fetch (in part)'],
    ['several', [call({}), call({})], 'ls (+1)'],
    ['several, one with more', [call({ input: '{}' }), call({})], 'ls (+1, in part)'],
  ])('says in one line that there is more: %s', (_, calls, title) => {
    expect(askedTitle(calls)).toContain(title);
    expect(askedTitle(calls).length).toBeLessThan(120);
  });

  it('shows all parts of a call, and forges none', () => {
    const text = callText(
      call({ kind: 'edit', title: 'Use`it', command: 'a\n```\nb', paths: ['/x'], input: '{"a": "```"}' }),
    );
    expect(text).toBe(
      [
        'Run a command:',
        '````text\na\n```\nb\n````',
        'Use the tool ``Use`it`` of the kind `edit`',
        'On these paths:',
        '```text\n/x\n```',
        'With all of this:',
        '````json\n{"a": "```"}\n````',
      ].join('\n\n'),
    );
  });

  it('continues its conversation with what is allowed, in this round alone', () => {
    const world = asking();
    expect(approve(world)).toBeNull();
    expect(world.acts()).toEqual(['engineer continues']);
    const turn = world.running('engineer');
    expect(turn).toMatchObject({ attempt: 1, round: 1, failures: 0, lastResult: { session: { id: 's' } } });
    expect(decidedCalls(turn)).toEqual({ allowed: ['npm install'], denied: [] });
    expect(told(world)).toContain('Do it again now, exactly so; it is allowed once:\n\nRun a command:');
    expect(world.notices()).toEqual([]);
    world.fail('engineer');
    world.tick('1h');
    expect(decidedCalls(world.running('engineer'))).toEqual({ allowed: [], denied: [] });
  });

  it('is decided by the person who was asked, or by a name that is no role', () => {
    const world = asking();
    const command = { verb: 'approve', target: { kind: 'turn', turn: 't1' }, comment: null } as const;
    expect(world.command(command, 'ada')).toEqual({
      code: 'E_FORBIDDEN',
      text: '`ada` was not asked, but `user`',
    });
    expect(world.acts()).toEqual([]);
    expect(world.command(command, 'grace')).toBeNull();
    expect(world.acts()).toEqual(['engineer continues']);
  });

  it('continues without what is refused, and is not asked about it again', () => {
    const world = asking();
    approve(world, 'reject', 'It is too large.');
    expect(told(world)).toContain('A person refused it. Continue your task without it:');
    expect(told(world)).toContain('It is too large.');
    world.fail('engineer');
    world.tick('1h');
    expect(decidedCalls(world.running('engineer')).denied).toEqual(['npm install']);
  });

  it('has the time that it was given, without that of a suspension', () => {
    const world = asking(['npm install'], '{ person: user, timeout: 2h }');
    const hours = 8 * 3_600_000;
    world.now += hours;
    world.record({ type: 'suspended', ms: hours });
    world.tick('1h59m');
    expect(world.acts()).toEqual([]);
    world.tick('1m');
    expect(world.acts()).toEqual(['engineer gets no answer', 'engineer continues']);
  });

  it('asks again and again, and nothing of that is a correction or an attempt', () => {
    const world = asking();
    for (const command of ['one', 'two', 'three']) {
      approve(world);
      world.asks('engineer', [command]);
    }
    approve(world);
    expect(decidedCalls(world.running('engineer')).allowed).toEqual(['three']);
    world.turn('engineer', ['→ nobody: nonsense']);
    expect(world.running('engineer')).toMatchObject({ round: 5, attempt: 1, failures: 0 });
    expect(decidedCalls(world.running('engineer')).allowed).toEqual([]);
    world.acts();
    world.turn('engineer', ['→ nobody: nonsense']);
    expect(world.acts()).toContain('engineer fails: E_FORBIDDEN');
  });

  it('is refused when the time of the question is over, and the time of the turn stands still', () => {
    const world = asking(['npm install'], '{ person: user, timeout: 2h }');
    expect(world.decision.wake).toBe(world.now + 2 * 3_600_000);
    world.tick('2h');
    expect(world.acts()).toEqual(['engineer gets no answer', 'engineer continues']);
    expect(told(world)).toContain('It was not answered in time. Continue');
    expect(world.running('engineer').phase).toMatchObject({ since: world.now });
    expect(approve(world)?.code).toBe('E_REFUSED');
  });

  it('asks the person of its role', () => {
    const world = asking(['npm install'], 'ada');
    expect([...world.state.unread.values()].map(({ role }) => role)).toEqual(['ada']);
  });

  it('waits for a slot and for money when it is allowed', () => {
    const world = asking();
    world.command({ verb: 'pause', target: { kind: 'role', role: 'engineer' }, now: false });
    approve(world);
    expect(world.processes()).toEqual([]);
    expect(approve(world, 'reject')?.text).toBe('turn t1 does not wait for approval');
    world.command({ verb: 'unpause', target: { kind: 'role', role: 'engineer' }, now: false });
    world.asks('engineer', ['more'], { usage: { usd: 8, tokens: 1 } });
    world.acts();
    approve(world);
    expect(world.acts()).toEqual(['task fails: E_BUDGET']);
  });

  it.each([
    ['its turn is cancelled', { kind: 'turn', turn: 't1' } as const],
    ['its thread is cancelled', { kind: 'thread', thread: 'task' } as const],
  ])('asks no more once %s', (_, target) => {
    const world = asking();
    world.command({ verb: 'cancel', target });
    expect(world.state.turns.size).toBe(0);
    expect(world.notices().filter((subject) => subject.includes('asks'))).toEqual([]);
    expect(approve(world)?.code).toBe('E_REFUSED');
  });

  it('does not ask in a thread that has ended', () => {
    const world = new World(team().replace('from: engineer, to: user', 'from: [engineer, ada], to: user'));
    world.drop('user → engineer: task');
    world.drop('ada → user: done in task');
    expect(world.thread('task')).toBe('closed');
    world.asks('engineer', ['npm install']);
    expect(world.state.turns.size).toBe(0);
  });

  it('is dropped where a message closes its thread', () => {
    const world = new World(team().replace('from: engineer, to: user', 'from: [engineer, ada], to: user'));
    world.drop('user → engineer: task');
    world.asks('engineer', ['npm install']);
    world.drop('ada → user: done in task');
    expect([world.state.turns.size, world.at('task', 'engineer')]).toEqual([0, 'processed']);
    expect(world.notices().filter((subject) => subject.includes('asks'))).toEqual([]);
  });

  it('ends where its role is gone', () => {
    const world = asking();
    world.edit(team().replaceAll('engineer', 'builder'));
    expect(world.acts()[0]).toBe('engineer fails: E_UNKNOWN_NAME');
  });

  it('approves nothing else', () => {
    const world = new World(team());
    world.drop('user → engineer: task');
    expect(approve(world)?.text).toBe('turn t1 has no work that lands, and its agent asks for nothing');
  });
});
