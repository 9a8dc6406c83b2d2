import { describe, expect, it } from 'vitest';
import { RunExplainer, type RunWhy } from '../../../src/workflow/machine/explain/explain.ts';
import { start, World, type WorldOptions } from './world.ts';

const hour = 3_600_000;

function explainer({ state, rules, now }: World, slots?: number): RunExplainer {
  const some = slots === undefined ? undefined : { agents: slots, processes: slots };
  return new RunExplainer(state, rules, now, some);
}

function said(why: RunWhy | null): string {
  if (why === null) return 'nothing';
  const { code, reason, act } = why;
  return `${code}: ${reason}${act === null ? '' : ` (${act.do})`}`;
}

const step = (world: World, path: string, slots?: number) => explainer(world, slots).step(path);
const run = (world: World, slots?: number) => explainer(world, slots).run();
const world = (text: string, options?: WorldOptions) => new World(text, options);

it('a step whose condition was false says it, and what it read', () => {
  const one = new World('a\nb <- a : when="steps.a.values.risk == \'high\' && !(steps.a.exit_code > 3)"');
  one.done('a', { values: { risk: 'low' } });
  expect(said(step(one, 'b'))).toBe(
    "skipped: b was skipped: its condition was false: `steps.a.values.risk == 'high' && !(steps.a.exit_code > 3)`, " +
      'where steps.a.values.risk is "low", steps.a.exit_code is 0',
  );
  const two = new World('a : when="false"\nb : when="false"\nc <- a b : one_success');
  expect(said(step(two, 'c'))).toBe('skipped: c was skipped: none of `a` and `b` let it run');
});

it('a run that its own limit ended is resumed after that limit was raised', () => {
  const late = new World('a', { workflow: { timeout: 1_000 } });
  late.pass(2_000);
  expect(late.state.status).toBe('TIMED_OUT');
  expect(new RunExplainer(late.state, late.rules, late.now).run()).toMatchObject({
    reason: expect.stringContaining('; raise `timeout` in its file, then resume it'),
    act: { do: 'resume', raises: 'timeout' },
  });
  const poor = new World('a : agent=x usd=0.5\nb <- a : agent=x usd=0.5', {
    workflow: { budget: { usd: 1, tokens: null } },
  });
  poor.done('a', { usd: 0.8 });
  expect(new RunExplainer(poor.state, poor.rules, poor.now).run()).toMatchObject({
    reason: expect.stringContaining('$0.80 of $1.00 are spent, and it may cost $0.50; raise `budget`'),
    act: { do: 'resume', raises: 'budget' },
  });
});

describe('why a run does not move', () => {
  it('names a step that runs, and how many more', () => {
    const one = world('a\nb');
    expect(said(run(one))).toBe('running: a runs, and 1 more');
    expect(run(one).cause).toEqual({ record: 'a', at: start });
    one.done('a');
    expect(said(run(one))).toBe('running: b runs');
  });

  it('says how it ended, and what continues it', () => {
    const one = world('a');
    one.done('a');
    expect(said(run(one))).toBe('succeeded: the run succeeded');
    const two = world('a');
    two.fails('a', { class: 'NON_RETRYABLE' });
    expect(said(run(two))).toBe('failed: the run failed: a: it broke (resume)');
    const three = world('a');
    three.record({ type: 'cancelled', by: 'ada', command: null });
    expect(said(run(three))).toBe('ending: the run is ending: cancelled by ada');
    three.settle();
    expect(said(run(three))).toBe('cancelled: the run was cancelled: cancelled by ada (resume)');
  });

  it('names the gate that it waits for, and who may approve', () => {
    const one = world('a : gate=1h say="Ship it?"\nb <- a');
    const why = run(one);
    expect(why).toEqual({
      code: 'waiting_for_approval',
      reason: 'a waits for the approval of a person: “Ship it?”',
      cause: { record: 'a', at: start },
      until: start + hour,
      act: {
        do: 'approve',
        path: 'a',
        gate: { approvers: [], choices: ['approve', 'reject'], fields: {} },
      },
    });
    one.judge('a', 'approve');
    expect(said(run(one))).toBe('running: b runs');
  });
});

describe('why a step does not move', () => {
  it('names the innermost step that it needs first', () => {
    const one = world('a\nb <- a\nc <- b\nd <- c');
    expect(said(step(one, 'd'))).toBe('needs: a runs; d needs c, which needs b, which needs a');
    one.fails('a', { class: 'NON_RETRYABLE' });
    expect(said(step(one, 'd'))).toBe('skipped: d was skipped: the run ended first');
  });

  it('passes on what a person can do about the step that it needs', () => {
    const one = world('ask : gate=1h say="Go on?"\nb <- ask');
    expect(said(step(one, 'b'))).toBe(
      'needs: ask waits for the approval of a person: “Go on?”; b needs ask (approve)',
    );
    expect(step(one, 'b')?.until).toBe(start + hour);
  });

  it('says why it was skipped: its condition, or a step before it', () => {
    const one = world('a : skip-dependents\nb <- a\nc <- b\nd : when="false"\ne');
    one.fails('a', { class: 'NON_RETRYABLE', text: 'no compiler' });
    expect(said(step(one, 'd'))).toBe('skipped: d was skipped: its condition was false: `false`');
    expect(said(step(one, 'b'))).toBe(
      'skipped: b was skipped: `a` did not let it run; a failed: no compiler (retry-step)',
    );
    expect(said(step(one, 'c'))).toBe(
      'skipped: c was skipped: `b` did not let it run; b was skipped: `a` did not let it run; ' +
        'a failed: no compiler (retry-step)',
    );
  });

  it('says when it is tried again, how often it may be, and why', () => {
    const one = world('a : retry=2');
    one.fails('a');
    const why = step(one, 'a');
    expect(said(why)).toBe('backoff: a failed and starts again, retry 1 of 2: it broke');
    expect(why?.until).toBe(one.decision.wake);
    one.pass(1_000);
    expect(said(step(one, 'a'))).toBe('running: a runs');
  });

  it('names the rate limited provider, and when its limit ends', () => {
    const one = world('a : agent=claude\nb : agent=claude', { agents: 1 });
    one.fails('a', { class: 'RETRYABLE_RATE_LIMIT', until: start + hour });
    for (const path of ['a', 'b']) {
      expect(said(step(one, path))).toBe(`usage_limit: ${path} waits: claude is rate limited`);
      expect(step(one, path)?.until).toBe(start + hour);
    }
  });

  it('says for which fault of the machine a step is held, and the run where nothing else runs', () => {
    const { state, rules, now } = world('a\nb');
    const held = new Map([['a', 'no room (EAGAIN)']]);
    const one = new RunExplainer(state, rules, now, undefined, undefined, held);
    expect(one.step('a')).toMatchObject({
      code: 'host_problem',
      reason: 'no room (EAGAIN)',
      cause: { record: 'a', at: start },
    });
    expect(said(one.step('b'))).toBe('running: b runs');
    expect(said(one.run())).toBe('running: b runs, and 1 more');
    const both = new RunExplainer(state, rules, now, undefined, undefined, held.set('b', 'no room'));
    expect(said(both.run())).toBe('host_problem: no room (EAGAIN), and 1 more');
  });

  it('says that no slot is free', () => {
    const one = world('a\nb', { slots: 1 });
    expect(said(step(one, 'b', 1))).toBe('concurrency: b waits for a slot');
    expect(step(one, 'b', 1)?.cause).toEqual({ record: 'a', at: start });
  });

  it('says that roles or other runs use the slots, of agents alone', () => {
    const first = { record: 't7', at: start - hour };
    const beside = (text: string, agents: number, left: number) => {
      // Nobody gives the slots back here, so the run waits forever.
      const { state, rules, now } = world(text, { agents: left, watched: false });
      const slots = { agents: left, processes: Infinity };
      return new RunExplainer(state, rules, now, slots, { agents, first }).step('b');
    };
    const why = beside('a : agent=claude\nb : agent=claude', 2, 1);
    expect(said(why)).toBe(
      'slots_taken: b waits for a slot: roles or other runs use 2 of the 3 of the project',
    );
    expect(why?.cause).toEqual(first);
    expect(said(beside('b : agent=claude', 1, 0))).toBe(
      'slots_taken: b waits for a slot: roles or other runs use the only one of the project',
    );
    expect(said(beside('b', 1, 0))).toBe('running: b runs');
  });

  it('says that an agent lacks a login, of the step and of the run', () => {
    const one = world('a : agent=claude');
    one.fails('a', { class: 'NON_RETRYABLE', code: 'E_LOGIN', text: 'run `claude`' });
    expect(said(step(one, 'a'))).toBe('login_missing: a failed: run `claude` (retry-step)');
    expect(said(run(one))).toBe('login_missing: the run failed: a: run `claude` (resume)');
  });

  it('says that the rest of the budget is reserved', () => {
    const one = world('a : agent=claude usd=2\nb : agent=claude usd=2', {
      workflow: { budget: { usd: 3, tokens: null } },
    });
    expect(said(step(one, 'b'))).toBe(
      'budget: b waits: the rest of the budget of the run is reserved for running steps',
    );
  });

  it('says that a check runs, and that a role does it or waits for others', () => {
    const one = world('a : check=2');
    one.done('a');
    expect(said(step(one, 'a'))).toBe('checking: the check of a runs');
    const two = world('a : role=engineer');
    expect(said(step(two, 'a'))).toBe('running: engineer does a');
    two.happens({ type: 'role-waits', key: two.key('a'), waits: true });
    expect(said(step(two, 'a'))).toBe('waiting_for_answer: engineer, who does a, waits for others');
  });

  it('looks into loops, and into steps that have not begun', () => {
    const one = world('a\nloop <- a : each=[1,2]\n  x\n  y <- x');
    expect(said(step(one, 'loop/0/y'))).toBe(
      'needs: loop/0/y begins with what it is part of; a runs; loop needs a',
    );
    one.done('a');
    expect(said(step(one, 'loop'))).toBe('running: loop/0/x runs');
    expect(said(step(one, 'loop/0/y'))).toBe('needs: loop/0/x runs; loop/0/y needs loop/0/x');
    expect(step(one, 'loop/0/z')).toBeNull();
    expect(step(one, 'z')).toBeNull();
  });

  it('follows a sequence', () => {
    const one = world('a : ok=b\nb : ok=_end');
    expect(said(step(one, 'b'))).toBe('needs: a runs; b needs a');
  });

  it('says that a step failed or was cancelled, and how to run it again', () => {
    const one = world('a : continue\nb');
    one.fails('a', { class: 'NON_RETRYABLE' });
    expect(said(step(one, 'a'))).toBe('failed: a failed: it broke (retry-step)');
    one.happens({ type: 'cancelled', by: 'ada', command: null });
    expect(said(step(one, 'b'))).toBe('cancelled: b was cancelled (retry-step)');
  });
});
