import { describe, expect, it } from 'vitest';
import { enteringOf } from '../../../src/mail/machine/rules/work.ts';
import { MailExplainer } from '../../../src/mail/machine/explain/explain.ts';
import { World } from './world.ts';

const team = `
workspace: { worktree: role }
roles:
  architect: { capabilities: [READ, EDIT] }
  engineer: { capabilities: [READ, EDIT], concurrency: 3 }
messages:
  task: { from: user, to: architect }
  subtask: { from: architect, to: engineer, thread: new, reply: [done], join: all, fan_out: 3 }
  done: { from: engineer, to: architect }
  question: { from: engineer, to: architect, reply: [answer] }
  answer: { from: architect, to: engineer }
  delivered: { from: architect, to: user, closes: true }
`;

/** The architect has handed two parts to engineers. */
function handedOut(protocol = team): World {
  const world = new World(protocol);
  world.drop('user → architect: task');
  world.enter('architect', 'base');
  world.turn('architect', ['→ engineer: subtask', '→ engineer: subtask']);
  world.checks('architect', [], 'plan');
  return world;
}

/** An engineer delivers the work of a sub-thread. */
function deliver(world: World, thread: string): void {
  world.enter('engineer', 'plan', thread);
  world.turn('engineer', ['→ architect: done'], { in: thread });
  world.checks('engineer', [], `work of ${thread}`);
}

describe('a request that opens a sub-thread', () => {
  it('has a thread of its own, in which its recipient works at the same time as the others', () => {
    const world = handedOut();
    expect(world.processes()).toEqual(['engineer in subtask', 'engineer in subtask2']);
    expect(world.state.threads.get('task')?.children).toEqual(['subtask', 'subtask2']);
    expect(world.state.threads.get('subtask')).toMatchObject({ parent: 'task', state: 'open' });
    const entering = enteringOf(world.state, world.protocol, world.running('engineer', 'subtask'));
    expect(entering).toMatchObject({
      branch: 'mailroom/subtask/engineer',
      base: 'plan',
      takes: [{ commit: 'plan' }],
    });
  });

  it('lets its sender continue once every sub-thread has answered, with all of their work', () => {
    const world = handedOut();
    deliver(world, 'subtask2');
    expect(world.processes()).toEqual(['engineer in subtask']);
    expect(world.thread('subtask2')).toBe('quiet');
    deliver(world, 'subtask');
    expect(world.processes()).toEqual(['architect in task']);
    const turn = world.running('architect');
    expect(turn.messages).toEqual(['done2', 'done']);
    expect(enteringOf(world.state, world.protocol, turn)?.takes).toMatchObject([
      { commit: 'work of subtask', from: 'engineer' },
      { commit: 'work of subtask2', from: 'engineer' },
    ]);
    world.turn('architect', ['→ user: delivered re done']);
    expect(world.thread('task')).toBe('closed');
    expect(world.notices()).toEqual([]);
  });
});

describe('`on_conflict: author`', () => {
  it('lets the later of two sub-threads meet the work of the other, which waits for it', () => {
    const world = handedOut(team.replace('worktree: role', 'worktree: role, on_conflict: author'));
    deliver(world, 'subtask');
    world.enter('engineer', 'plan', 'subtask2');
    world.turn('engineer', ['→ architect: done']);
    const [check] = world.decision.processes;
    const meets = check?.kind === 'checks' ? check.leaving?.meets : [];
    expect(meets?.map(({ commit }) => commit)).toEqual(['plan', 'work of subtask']);
  });
});

describe('the bounds of sub-threads', () => {
  it('refuses more than `fan_out` at once, and says how many are allowed', () => {
    const world = new World(team.replace('join: all', 'blocking: false'));
    world.drop('user → architect: task');
    world.turn('architect', Array(4).fill('→ engineer: subtask'));
    expect(world.running('architect').problems).toEqual([
      '`subtask` may open 3 sub-threads at once (`fan_out`), and this turn sends 4: send at most 3',
    ]);
    world.turn('architect', Array(2).fill('→ engineer: subtask'));
    world.drop('user → architect: task in task');
    world.turn('architect', Array(2).fill('→ engineer: subtask'));
    expect(world.running('architect').problems).toEqual([
      '`subtask` may open 3 sub-threads at once (`fan_out`), of which 2 are open, and this turn sends 2: send at most 1',
    ]);
    expect(world.drop('architect → engineer: subtask in task')).not.toContain('fan_out');
    expect(world.drop('architect → engineer: subtask in task')).toContain('send at most 0');
  });

  it('refuses sub-threads of sub-threads beyond the limit of nesting', () => {
    const world = new World(
      team
        .replace(
          'from: architect, to: engineer, thread',
          'from: [architect, engineer], to: [engineer, architect], thread',
        )
        .replace(
          'done: { from: engineer, to: architect }',
          'done: { from: [engineer, architect], to: [architect, engineer] }',
        ) + 'limits: { nesting: 1 }\n',
    );
    world.drop('user → architect: task');
    world.turn('architect', ['→ engineer: subtask']);
    world.turn('engineer', ['→ architect: subtask']);
    expect(world.running('engineer').problems).toEqual([
      '`subtask` would open a sub-thread at depth 2, and `limits.nesting` allows 1: do the work in this thread',
    ]);
  });
});

describe('what counts against `fan_out`', () => {
  it('are open sub-threads, not those that have answered', () => {
    const world = handedOut();
    deliver(world, 'subtask');
    deliver(world, 'subtask2');
    world.enter('architect', 'merged');
    world.turn('architect', Array(3).fill('→ engineer: subtask'));
    world.checks('architect', [], 'more');
    expect(world.processes()).toEqual([3, 4, 5].map((number) => `engineer in subtask${String(number)}`));
  });

  it('are those of the same type', () => {
    const world = new World(
      team
        .replace('join: all, fan_out: 3', 'blocking: false, fan_out: 1')
        .replace(
          '  done:',
          '  probe: { from: architect, to: engineer, thread: new, reply: [done], fan_out: 1 }\n  done:',
        ),
    );
    world.drop('user → architect: task');
    world.turn('architect', ['→ engineer: subtask']);
    world.drop('user → architect: task in task');
    world.turn('architect', ['→ engineer: probe']);
    expect(world.processes()).toEqual(['engineer in subtask', 'engineer in probe']);
  });
});

describe('the end of a sub-thread', () => {
  it('that failed is a notice for the thread that waits for it, which continues', () => {
    const world = handedOut();
    deliver(world, 'subtask');
    world.acts();
    world.fail('engineer', { in: 'subtask2', class: 'NON_RETRYABLE' });
    expect(world.acts()).toEqual([
      'engineer fails: E_TURN',
      'subtask2 fails: E_TURN',
      'subtask2 goes on without engineer',
      'architect takes done, notice3',
    ]);
    expect(world.running('architect').messages).toEqual(['done', 'notice3']);
    expect(world.thread('task')).toBe('open');
  });

  it('that a person cancelled, or that a message closed without an answer, is one, too', () => {
    const world = handedOut();
    world.command({ verb: 'cancel', target: { kind: 'thread', thread: 'subtask' } });
    expect(world.processes()).toEqual(['engineer in subtask2']);
    world.command({ verb: 'cancel', target: { kind: 'thread', thread: 'subtask2' } });
    const [first] = world.running('architect').messages;
    expect(world.state.mail.get(first ?? '')?.message).toMatchObject({
      inReplyTo: 'subtask',
      body: 'cancelled by ada. Continue without it.',
    });
  });

  it('comes with an answer that closes it', () => {
    const world = handedOut(
      team.replace(
        'done: { from: engineer, to: architect }',
        'done: { from: engineer, to: architect, closes: true }',
      ),
    );
    deliver(world, 'subtask');
    expect(world.thread('subtask')).toBe('closed');
    expect(world.at('done', 'architect')).toBe('inbox');
    deliver(world, 'subtask2');
    expect(world.running('architect').messages).toEqual(['done', 'done2']);
  });

  it('lets a question of its role be answered while its sender waits', () => {
    const world = handedOut();
    world.enter('engineer', 'plan', 'subtask');
    world.turn('engineer', ['→ architect: question'], { in: 'subtask' });
    world.checks('engineer', [], 'some');
    expect(world.processes()).toEqual(['engineer in subtask2', 'architect in subtask']);
    world.turn('architect', ['→ engineer: answer']);
    expect(world.processes()).toEqual(['engineer in subtask2', 'engineer in subtask']);
  });
});

describe('the end of a thread', () => {
  it.each([
    [
      'is cancelled',
      (world: World) => world.command({ verb: 'cancel', target: { kind: 'thread', thread: 'task' } }),
    ],
    ['is closed', (world: World) => world.drop('architect → user: delivered in task')],
  ])('that %s stops its sub-threads, and theirs', (_, end) => {
    const world = handedOut(
      team
        .replace(
          'from: architect, to: engineer, thread',
          'from: [architect, engineer], to: [engineer, tester], thread',
        )
        .replace(
          'done: { from: engineer, to: architect }',
          'done: { from: [engineer, tester], to: [architect, engineer] }',
        )
        .replace('messages:', '  tester: {}\nmessages:'),
    );
    world.enter('engineer', 'plan', 'subtask');
    world.turn('engineer', ['→ tester: subtask'], { in: 'subtask' });
    world.checks('engineer', [], 'some');
    expect(world.processes()).toEqual(['engineer in subtask2', 'tester in subtask3']);
    end(world);
    expect(world.processes()).toEqual([]);
    expect(['subtask', 'subtask2', 'subtask3'].map((id) => world.thread(id))).toEqual(
      Array(3).fill('failed'),
    );
    expect(world.state.threads.get('subtask3')?.reason).toEqual({
      code: 'E_CANCELLED',
      text: 'the thread that opened it, …ubtask, has ended',
    });
    expect(world.state.waits.size).toBe(0);
  });

  it('files the answers that waited for others', () => {
    const world = handedOut();
    deliver(world, 'subtask');
    world.command({ verb: 'cancel', target: { kind: 'thread', thread: 'task' } });
    expect(world.at('done', 'architect')).toBe('processed');
    expect(world.state.ended.has('subtask')).toBe(true);
  });

  it('is the only thing that happens to them when both time out at once', () => {
    const world = new World(team.replace('fan_out: 3', 'fan_out: 3, timeout: 1m, on_timeout: proceed'));
    world.step('architect', 60_000);
    world.turn('architect', ['→ engineer: subtask']);
    world.acts();
    world.tick('2m');
    expect(world.acts()).toEqual(['step fails: E_TIMEOUT']);
  });

  it('charges what they have cost to the step that it was started for', () => {
    const world = new World(team);
    world.step('architect');
    world.turn('architect', ['→ engineer: subtask']);
    world.turn('engineer', ['→ architect: done'], { usage: { usd: 1, tokens: 1 } });
    expect([...(world.state.bills.get('subtask')?.values() ?? [])]).toMatchObject([
      { run: 'run', cost: { usd: 1 } },
    ]);
  });

  it('reaches them when its own deadline passes', () => {
    const world = new World(team);
    world.step('architect', 60_000);
    world.turn('architect', ['→ engineer: subtask']);
    expect(world.processes()).toEqual(['engineer in subtask']);
    world.tick('2m');
    expect(world.processes()).toEqual([]);
    expect(world.heard()).toEqual({ step: 'RETRYABLE_TRANSIENT E_TIMEOUT (time)' });
  });

  it('files an answer that a person still gives in one', () => {
    const world = handedOut(
      team.replace('done: { from: engineer', 'done: { from: [engineer, user]').replace('escalate_to', ''),
    );
    world.command({ verb: 'cancel', target: { kind: 'thread', thread: 'subtask' } });
    deliver(world, 'subtask2');
    world.acts();
    world.drop('engineer → architect: done re subtask');
    expect(world.acts()).toEqual(['engineer → architect: done (late)']);
    expect(world.at('done2', 'architect')).toBe('processed');
  });

  it('is no reason to forget an answer that waits, and one that was read may be forgotten', () => {
    const world = handedOut();
    deliver(world, 'subtask');
    expect(world.state.ended.has('subtask')).toBe(false);
    deliver(world, 'subtask2');
    world.turn('architect', ['→ user: delivered']);
    expect([...world.state.ended].toSorted()).toEqual(['subtask', 'subtask2', 'task']);
  });
});

describe('a pause', () => {
  it('of a thread holds what starts in its sub-threads, and `why` names it', () => {
    const world = handedOut();
    world.command({ verb: 'pause', target: { kind: 'thread', thread: 'task' }, now: true });
    expect(world.processes()).toEqual([]);
    const why = new MailExplainer(world.state, world.protocol, world.now).turn(
      [...world.state.turns.values()][0]!,
    );
    expect(why).toMatchObject({
      code: 'paused',
      act: { do: 'unpause', target: { kind: 'thread', thread: 'task' } },
    });
    world.command({ verb: 'unpause', target: { kind: 'thread', thread: 'task' }, now: false });
    expect(world.processes()).toEqual(['engineer in subtask', 'engineer in subtask2']);
  });

  it('of a thread holds what lands from its sub-threads', () => {
    const world = handedOut(
      team.replace('to: architect }\n  question', 'to: architect, closes: true, lands: main }\n  question'),
    );
    deliver(world, 'subtask');
    expect(world.landings()).toEqual(['t2: check']);
    world.command({ verb: 'pause', target: { kind: 'thread', thread: 'task' }, now: false });
    expect(world.landings()).toEqual([]);
    const why = new MailExplainer(world.state, world.protocol, world.now).turn(world.state.turns.get('t2')!);
    expect(why).toMatchObject({ code: 'paused', act: { target: { kind: 'thread', thread: 'task' } } });
    world.command({ verb: 'unpause', target: { kind: 'thread', thread: 'task' }, now: false });
    expect(world.landings()).toEqual(['t2: check']);
  });
});
