import { describe, expect, it } from 'vitest';
import { MailExplainer } from '../../../src/mail/machine/explain/explain.ts';
import { enteringOf } from '../../../src/mail/machine/rules/work.ts';
import { landingKey } from '../../../src/mail/machine/rules/landing.ts';
import { World } from './world.ts';
import type { RuleChanges } from '../../../src/kernel/work.ts';

const team = (branch = 'main') => `
workspace: { worktree: role }
roles:
  left: { capabilities: [READ, EDIT] }
  right: { capabilities: [READ, EDIT] }
  reviewer: { capabilities: [READ] }
messages:
  task: { from: user, to: [left, right] }
  look: { from: [left, right], to: reviewer }
  stop: { from: reviewer, to: user, closes: true }
  done: { from: [left, right, reviewer], to: user, closes: true, lands: ${branch} }
`;

/** Two engineers whose work is to land, in two threads. */
function queued(branch?: string): World {
  const world = new World(team(branch));
  for (const role of ['left', 'right']) {
    world.drop(`user → ${role}: task`);
    world.enter(role, 'base');
    world.turn(role, [`${role} → user: done | The work of ${role}`]);
    world.checks(role, [], `work-of-${role}`);
  }
  return world;
}

const landed = (world: World, turn: string, onto: string, result: string) => {
  world.landing(turn, { type: 'landing-checked', onto, result });
  world.landing(turn, { type: 'landed' });
};

const why = (world: World, turn: string) => {
  const known = world.state.turns.get(turn);
  return known && new MailExplainer(world.state, world.protocol, world.now).turn(known);
};

describe('work that lands', () => {
  it('lands before its message is delivered, one at a time', () => {
    const world = queued();
    expect(world.at('done', 'user')).toBeUndefined();
    expect(world.landings()).toEqual(['t1: check']);
    expect(world.decision.landings).toMatchObject([
      {
        landing: { commit: 'work-of-left', lands: { branch: 'main', by: 'merge' } },
        title: 'The work of left',
      },
    ]);
    world.landing('t1', { type: 'landing-checked', onto: 'base', result: 'one' });
    expect(world.landings()).toEqual(['t1: swap']);
    expect(world.at('done', 'user')).toBeUndefined();
    world.landing('t1', { type: 'landed' });
    expect(world.at('done', 'user')).toBe('unread');
    expect(world.state.mail.get('done')?.message.work).toEqual({
      commit: 'work-of-left',
      branch: 'mailroom/task/left',
      landed: { branch: 'main', commit: 'one', before: 'base' },
    });
    expect(world.thread('task')).toBe('closed');
    expect(world.landings()).toEqual(['t2: check']);
    landed(world, 't2', 'one', 'two');
    expect(world.thread('task2')).toBe('closed');
    expect(world.state.landings.size).toBe(0);
  });

  it('lands on several branches at the same time', () => {
    const world = new World(
      team('{ branch: next, by: squash }').replace(
        'stop:',
        'also: { from: right, to: user, closes: true, lands: main }\n  stop:',
      ),
    );
    world.drop('user → left: task');
    world.enter('left', 'base');
    world.turn('left', ['left → user: done']);
    world.checks('left', [], 'a');
    world.drop('user → right: task');
    world.enter('right', 'base');
    world.turn('right', ['right → user: also']);
    world.checks('right', [], 'b');
    expect(world.landings()).toEqual(['t1: check', 't2: check']);
  });

  it('lands what a role read that must not edit', () => {
    const world = new World(team());
    world.drop('user → left: task');
    world.enter('left', 'base');
    world.turn('left', ['left → reviewer: look']);
    world.checks('left', [], 'work');
    world.enter('reviewer', 'work');
    world.turn('reviewer', ['reviewer → user: done']);
    expect(world.state.landings.get('t2')).toMatchObject({ commit: 'work', role: 'reviewer' });
  });

  it('goes back to its author with the reason, and to the end of the queue', () => {
    const world = queued();
    world.landing('t1', { type: 'landing-refused', problems: ['it conflicts in a.txt'] });
    expect(world.running('left').problems).toEqual(['it conflicts in a.txt']);
    expect(world.processes()).toEqual(['left in task']);
    expect(world.landings()).toEqual(['t2: check']);
    world.turn('left', ['left → user: done']);
    world.checks('left', [], 'better');
    expect([...world.state.landings.keys()]).toEqual(['t2', 't1']);
    landed(world, 't2', 'base', 'one');
    expect(world.landings()).toEqual(['t1: check']);
    landed(world, 't1', 'one', 'two');
    expect(world.thread('task')).toBe('closed');
  });

  it('is not a correction where it conflicts: its author resolves it', () => {
    const world = new World(`${team()}limits: { corrections: 0 }\n`);
    world.drop('user → left: task');
    world.enter('left', 'base');
    world.turn('left', ['left → user: done']);
    world.checks('left', [], 'work');
    for (const left of ['better', 'best']) {
      world.landing('t1', { type: 'landing-refused', problems: ['both sides are there'], conflicts: true });
      expect(world.running('left').problems).toEqual(['both sides are there']);
      world.turn('left', ['left → user: done']);
      world.checks('left', [], left);
    }
    landed(world, 't1', 'base', 'one');
    expect(world.thread('task')).toBe('closed');
  });

  it('is merged by the next role that may edit, where its own must not', () => {
    const world = new World(team().replace('stop:', 'back: { from: reviewer, to: left }\n  stop:'));
    world.drop('user → left: task');
    world.enter('left', 'base');
    world.turn('left', ['left → reviewer: look']);
    world.checks('left', [], 'work');
    world.enter('reviewer', 'work');
    world.turn('reviewer', ['reviewer → user: done']);
    world.landing('t2', { type: 'landing-refused', problems: ['it conflicts'], meets: 'moved' });
    world.turn('reviewer', ['reviewer → left: back']);
    const turn = world.running('left');
    expect(enteringOf(world.state, world.protocol, turn)?.takes).toMatchObject([
      { commit: 'work' },
      { commit: 'moved', message: null, from: '`main`' },
    ]);
    expect(enteringOf(world.state, world.protocol, { ...turn, role: 'reviewer' })?.takes).toHaveLength(1);
  });

  it('waits for a slot of its role before its author corrects it, with its whole time', () => {
    const world = queued();
    world.drop('user → left: task');
    world.landing('t1', { type: 'landing-refused', problems: ['it conflicts in a.txt'] });
    expect(world.processes()).toEqual(['left in task3']);
    expect(world.state.turns.get('t1')?.phase).toMatchObject({
      is: 'refused',
      problems: ['it conflicts in a.txt'],
    });
    expect(why(world, 't1')).toMatchObject({ code: 'concurrency', cause: { record: 't3' } });
    world.tick('5m');
    world.turn('left', ['left → reviewer: look']);
    expect(world.running('left')).toMatchObject({ id: 't1', round: 1, phase: { since: world.now } });
  });

  it('fails like any output that stays wrong', () => {
    const world = new World(`${team()}limits: { corrections: 0 }\n`);
    world.drop('user → left: task');
    world.enter('left', 'base');
    world.turn('left', ['left → user: done']);
    world.checks('left', [], 'work');
    world.landing('t1', { type: 'landing-refused', problems: ['it conflicts in a.txt'] });
    expect(world.at('task', 'left')).toBe('failed');
    expect(world.state.landings.size).toBe(0);
  });

  it('is checked again where somebody else moved the branch, and stays the first', () => {
    const world = queued();
    world.landing('t1', { type: 'landing-checked', onto: 'base', result: 'one' });
    world.landing('t1', { type: 'landing-missed' });
    expect(world.landings()).toEqual(['t1: check']);
    expect(world.decision.landings.map(landingKey)).toEqual(['t1/1/0/landing/0/1/check']);
  });

  it('holds no slot of its role while it waits', () => {
    const world = queued();
    world.drop('user → left: task');
    expect(world.processes()).toEqual(['left in task3']);
  });

  it('waits while its thread is paused, and lets the next one pass', () => {
    const world = queued();
    world.command({ verb: 'pause', target: { kind: 'thread', thread: 'task' }, now: false });
    expect(world.landings()).toEqual(['t2: check']);
    expect(why(world, 't1')).toMatchObject({ code: 'paused' });
  });
});

describe('why work has not landed', () => {
  it('is what comes before it, what blocks that, or nothing', () => {
    const world = queued();
    expect(why(world, 't1')).toMatchObject({
      code: 'landing',
      reason: 'the work of left in turn t1 lands on `main`',
    });
    expect(why(world, 't2')).toMatchObject({
      code: 'landing_queued',
      reason:
        'one other lands on `main` before the work of right in turn t2; ' +
        'the work of left in turn t1 lands on `main`',
    });
    world.landing('t1', { type: 'landing-blocked', problem: 'commit your changes' });
    expect(why(world, 't1')).toMatchObject({
      code: 'landing_blocked',
      reason: 'the work of left in turn t1 cannot land on `main`: commit your changes',
    });
    landed(world, 't1', 'base', 'one');
    expect(why(world, 't2')).toMatchObject({ code: 'landing' });
  });
});

describe('work that is abandoned', () => {
  const cancel = (world: World, turn: string) =>
    world.command({ verb: 'cancel', target: { kind: 'turn', turn } });

  it('leaves the queue', () => {
    const world = queued();
    cancel(world, 't1');
    expect(world.landings()).toEqual(['t2: check']);
  });

  it('is found out first where the branch may have moved, and lands no more', () => {
    for (const end of ['landed', 'landing-missed'] as const) {
      const world = queued();
      world.landing('t1', { type: 'landing-checked', onto: 'base', result: 'one' });
      cancel(world, 't1');
      expect(world.landings()).toEqual(['t1: settle']);
      world.landing('t1', { type: end });
      expect(world.landings()).toEqual(['t2: check']);
      expect(world.state.landings.has('t1')).toBe(false);
    }
  });
});

describe('a protected branch', () => {
  function guarded(rules: RuleChanges | null = null): World {
    const world = queued();
    for (const turn of ['t1', 't2']) world.landing(turn, { type: 'landing-asked', onto: 'base', rules });
    return world;
  }
  const judge = (world: World, verb: 'approve' | 'reject', turn: string, comment: string | null = null) =>
    world.command({ verb, target: { kind: 'turn', turn }, comment });

  it('gets only what a person approved, in that order', () => {
    const world = guarded();
    expect(world.landings()).toEqual([]);
    expect(why(world, 't1')).toMatchObject({
      code: 'waiting_for_approval',
      act: { do: 'approve', turn: 't1' },
    });
    expect(judge(world, 'approve', 't2')).toBeNull();
    expect(world.landings()).toEqual(['t2: check']);
    expect(judge(world, 'approve', 't1')).toBeNull();
    expect([...world.state.landings.keys()]).toEqual(['t2', 't1']);
  });

  it.each([
    { undone: false, who: 'Somebody' },
    { undone: true, who: '`mailroom undo`' },
  ])('asks again where $who has moved the branch, and not after another landing', ({ undone, who }) => {
    const world = guarded();
    judge(world, 'approve', 't1');
    judge(world, 'approve', 't2');
    const [first] = world.decision.landings;
    expect(first?.landing).toMatchObject({ turn: 't1', approved: { onto: 'base', rules: null } });
    landed(world, 't1', 'base', 'one');
    expect(world.state.landings.get('t2')).toMatchObject({ approved: { onto: 'one' } });
    world.landing('t2', { type: 'landing-asked', onto: 'moved', rules: null, undone });
    expect(world.landings()).toEqual([]);
    expect(why(world, 't2')?.reason).toBe(
      'the work of right in turn t2 waits until a person lets it land on `main`: `main` is protected. ' +
        `${who} has moved \`main\` since Mailroom landed there last: \`git log one..moved\``,
    );
    expect(world.state.landings.get('t2')?.approved).toBeNull();
  });

  it('gets changes of rules only as they were approved', () => {
    const rules = { paths: ['mailroom.yaml', 'workflows/w.yaml'], more: 2, digest: 'these' };
    const world = guarded(rules);
    expect(why(world, 't1')?.reason).toContain(
      'it changes the rules of this project: `mailroom.yaml`, `workflows/w.yaml` and 2 more',
    );
    judge(world, 'approve', 't1');
    expect(world.decision.landings).toMatchObject([
      { do: 'check', landing: { approved: { rules: 'these' } } },
    ]);
    const [key] = world.decision.landings.map(landingKey);
    world.landing('t1', { type: 'landing-asked', onto: 'base', rules: { ...rules, digest: 'others' } });
    expect(world.landings()).toEqual([]);
    judge(world, 'approve', 't1');
    expect(world.decision.landings.map(landingKey)).not.toEqual([key]);
  });

  it('takes no answer to changes that its author has not seen', () => {
    const rules = { paths: ['mailroom.yaml'], more: 0, digest: 'the-first-changes' };
    const world = guarded(rules);
    const answer = (verb: 'approve' | 'reject', changes: string) =>
      world.command({ verb, target: { kind: 'turn', turn: 't1' }, comment: null, changes });
    const seen = 'work-of-left-the-first-ch';
    world.landing('t1', { type: 'landing-refused', problems: ['it conflicts'] });
    world.turn('left', ['left → user: done']);
    world.checks('left', [], 'better');
    expect(answer('approve', seen)?.text).toBe('turn t1 does not wait for approval');
    world.landing('t1', { type: 'landing-asked', onto: 'base', rules });
    for (const verb of ['approve', 'reject'] as const)
      expect(answer(verb, seen)).toEqual({
        code: 'E_REFUSED',
        text:
          'other changes of turn t1 wait now: look at them with `mailroom show t1 --diff`, ' +
          `then \`mailroom ${verb} t1 --changes better-the-first-ch\``,
      });
    expect(answer('approve', 'better-the-first-ch')).toBeNull();
    expect(world.landings()).toEqual(['t1: check']);
    world.landing('t1', { type: 'landing-asked', onto: 'base', rules: { ...rules, digest: 'others' } });
    expect(answer('approve', 'better-the-first-ch')?.text).toContain('--changes better-others`');
  });

  it('gives what was rejected back to its author, with the comment', () => {
    const world = guarded();
    expect(judge(world, 'reject', 't1', 'too large')).toBeNull();
    expect(world.running('left').problems).toEqual(['ada refused to let it land on `main`: too large']);
  });

  it('gives what was rejected back only once its role is not paused', () => {
    const world = guarded();
    const target = { kind: 'role', role: 'left' } as const;
    world.command({ verb: 'pause', target, now: false });
    judge(world, 'reject', 't1', 'too large');
    expect([world.processes(), why(world, 't1')?.code]).toEqual([[], 'paused']);
    world.command({ verb: 'unpause', target, now: false });
    expect(world.running('left').id).toBe('t1');
  });

  it('refuses an answer to what nobody asks', () => {
    const world = queued();
    expect(judge(world, 'approve', 't1')?.text).toBe('turn t1 does not wait for approval');
    expect(judge(world, 'reject', 't9')?.text).toBe(
      'turn t9 has no work that lands, and its agent asks for nothing',
    );
  });
});
