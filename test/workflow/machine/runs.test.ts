import { describe, expect, it } from 'vitest';
import { countFailure } from '../../../src/workflow/machine/breaker.ts';
import { finalStatus, type SettledScope } from '../../../src/workflow/machine/final-status.ts';
import { failure, World } from './world.ts';

const reason = { code: 'E_STEP', text: 'it broke' } as const;

describe('the final status', () => {
  const through: SettledScope = { ending: null, failed: null, ended: null };
  const failed = { path: 'a', class: 'NON_RETRYABLE', reason } as const;
  it.each([
    ['nothing happened', {}, 'SUCCEEDED'],
    ['a failure that skipped dependents, or a gate', { failed }, 'FAILED'],
    ['a sequence that ended so', { ended: failed }, 'FAILED'],
    ['aborted', { ending: { why: 'aborted', ...failed } }, 'FAILED'],
    ['its time was over', { ending: { why: 'timed-out' }, failed }, 'TIMED_OUT'],
    ['cancelled', { ending: { why: 'cancelled', by: 'ada' }, failed }, 'CANCELLED'],
  ] as const)('when %s', (_, changes, status) => {
    expect(finalStatus({ ...through, ...changes }).status).toBe(status);
  });
});

describe('the time of a run', () => {
  it('ends it: what runs is cancelled, the rest is skipped', () => {
    const world = new World('a\nb <- a', { workflow: { timeout: 60_000 } });
    world.pass(59_999);
    expect(world.running).toEqual(['a']);
    world.pass(1);
    expect(world.state.status).toBe('TIMED_OUT');
    expect(world.statuses).toBe('a CANCELLED, b SKIPPED');
  });

  it('stands still while only a parked provider is waited for, and while no host is there', () => {
    const world = new World('a : agent=claude', { workflow: { timeout: 60_000 } });
    world.fails('a', { class: 'RETRYABLE_RATE_LIMIT', until: world.now + 3_600_000 });
    world.pass(3_600_000);
    expect(world.running).toEqual(['a']);
    world.now += 3_600_000;
    world.crash();
    expect(world.running).toEqual(['a']);
    world.pass(59_000);
    expect(world.state.status).toBe('RUNNING');
    world.pass(1_000);
    expect(world.state.status).toBe('TIMED_OUT');
  });
});

describe('a time in which the host did not run', () => {
  const hour = 3_600_000;

  it('counts neither for the run nor for a gate', () => {
    const world = new World('ship : gate=2h/abort\nwork', { workflow: { timeout: 60_000 } });
    world.pass(59_000);
    world.now += 5 * hour;
    world.happens({ type: 'suspended', ms: 5 * hour });
    world.pass(999);
    expect(world.statuses).toBe('ship RUNNING, work RUNNING');
    world.pass(1);
    expect(world.state.status).toBe('TIMED_OUT');
  });

  it('does not end the wait for a person', () => {
    const world = new World('ship : gate=2h/abort');
    world.pass(hour);
    world.now += 5 * hour;
    world.happens({ type: 'suspended', ms: 5 * hour });
    world.pass(hour - 1);
    expect(world.state.status).toBe('RUNNING');
    world.pass(1);
    expect(world.state.status).toBe('FAILED');
  });

  it('counts nothing twice for a clock that stands still, and nothing after the end', () => {
    const world = new World('ship : gate=2h/abort', { workflow: { timeout: 60_000 } });
    world.happens({ type: 'suspended', ms: hour });
    expect(world.state.clock).toEqual({ spent: 0, since: null });
    world.happens({ type: 'cancelled', by: 'ada', command: null });
    const ended = structuredClone(world.state.clock);
    world.happens({ type: 'suspended', ms: hour });
    expect(world.state.clock).toEqual(ended);
  });
});

it('the time of a run continues while a gate waits and something else runs', () => {
  const world = new World('ship : gate=48h/abort\nwork', { workflow: { timeout: 60_000 } });
  world.pass(59_999);
  expect(world.state.status).toBe('RUNNING');
  world.pass(1);
  expect(world.statuses).toBe('ship CANCELLED, work CANCELLED');
  expect(world.state.status).toBe('TIMED_OUT');
});

describe('cancelling', () => {
  it('ends everything, once', () => {
    const world = new World('a\nb\neach : each=[1,2]\n  c');
    world.done('a');
    world.happens({ type: 'cancelled', by: 'ada', command: null });
    expect(world.statuses).toBe('a SUCCEEDED, b CANCELLED, each CANCELLED');
    expect(world.state).toMatchObject({ status: 'CANCELLED', reason: { text: 'cancelled by ada' } });
  });
});

describe('a crash', () => {
  it('costs no attempt when a person continues', () => {
    const world = new World('a');
    for (let time = 0; time < 5; time += 1) world.crash('person');
    world.done('a');
    expect(world.state.steps.get('a')?.attempts).toBe(1);
  });

  it('is the failure of the step when `up` continues for the third time', () => {
    const world = new World('a');
    world.crash('up');
    world.crash('up');
    expect(world.running).toEqual(['a']);
    world.crash('up');
    expect(world.state.status).toBe('FAILED');
    expect(world.state.steps.get('a')?.phase).toMatchObject({ class: 'RETRYABLE_TRANSIENT' });
  });

  it('gives a process a key of its own, and takes no word of the one before', () => {
    const world = new World('a');
    const old = world.key('a');
    world.crash();
    world.happens({ type: 'ended', key: old, result: failure() });
    expect(world.running).toEqual(['a']);
    world.done('a');
    expect(world.state.status).toBe('SUCCEEDED');
    expect(world.state.steps.get('a')?.attempt).toBe(2);
  });
});

describe('resume after a failure', () => {
  it('keeps what is done, and does the rest', () => {
    const world = new World(`
      a
      b <- a : continue
      c <- b
      g <- a : gate=1h/abort
      d <- c g
      e <- a : when="steps.a.values.v == 1"
    `);
    world.done('a');
    world.fails('b');
    world.judge('g', 'approve');
    world.fails('c');
    expect(world.statuses).toContain('d SKIPPED');
    world.happens({ type: 'resumed', by: 'person' });
    expect(world.running).toEqual(['c']);
    world.done('c');
    world.done('d');
    expect(world.statuses).toBe('a SUCCEEDED, b FAILED, c SUCCEEDED, g SUCCEEDED, d SUCCEEDED, e SKIPPED');
    expect(world.state.status).toBe('SUCCEEDED');
  });

  it('continues with the items of a loop that are not done', () => {
    const world = new World('each : each=[1,2,3]\n  a\n  b <- a');
    world.done('each/0/a');
    world.done('each/0/b');
    world.done('each/1/a');
    world.fails('each/1/b');
    world.happens({ type: 'resumed', by: 'person' });
    expect(world.running).toEqual(['each/1/b']);
    world.done('each/1/b');
    world.done('each/2/a');
    world.done('each/2/b');
    expect(world.state.status).toBe('SUCCEEDED');
  });

  it.each([
    ['to an error', 'fail=_error'],
    ['out of the loop', 'fail=_break'],
  ])('repeats no finished iteration of a loop in a sequence that a step led %s', (_, way) => {
    const world = new World(`
      make : ok=each
      each : ok=last fail=_error each=[1,2,3]
        a : ok=b ${way}
        b : ok=_end ${way}
      last : ok=_end
    `);
    for (const step of ['make', 'each/0/a', 'each/0/b', 'each/1/a']) world.done(step);
    world.fails('each/1/b');
    expect(world.state.status).toBe('FAILED');
    world.happens({ type: 'resumed', by: 'person' });
    expect(world.running).toEqual(['each/1/b']);
    for (const step of ['each/1/b', 'each/2/a', 'each/2/b', 'last']) world.done(step);
    expect(world.state.status).toBe('SUCCEEDED');
  });

  it('does not repeat the last step of a sequence that succeeded and led to an error', () => {
    const world = new World('a : ok=each\neach : ok=_error each=[1,2]\n  b : ok=_end');
    for (const step of ['a', 'each/0/b', 'each/1/b']) world.done(step);
    expect(world.state.status).toBe('FAILED');
    world.happens({ type: 'resumed', by: 'person' });
    expect(world.running).toEqual([]);
    expect(world.state).toMatchObject({ status: 'FAILED', reason: { text: '`each` led to an error' } });
  });

  it('continues counting iterations', () => {
    const world = new World('a : check=2');
    world.done('a');
    world.incomplete('a');
    world.fails('a');
    world.happens({ type: 'resumed', by: 'person' });
    expect(world.key('a').iteration).toBe(2);
  });
});

describe('a step that is tried again', () => {
  it('takes other instructions, and what came after it runs too', () => {
    const world = new World(`
      a : agent=claude continue
      b <- a : continue
      c
    `);
    world.fails('a');
    world.done('b');
    world.done('c');
    world.happens({ type: 'retried', path: 'a', instructions: 'otherwise', by: 'ada', command: null });
    expect(world.running).toEqual(['a']);
    expect(world.launch('a').work).toMatchObject({ instructions: 'otherwise' });
    world.done('a');
    world.done('b');
    expect(world.state.status).toBe('SUCCEEDED');
    expect(world.state.steps.get('c')?.attempts).toBe(1);
  });
});

describe('one step alone', () => {
  it('runs without the others, and fails on what they would have made', () => {
    const text = 'a\nb <- a : say="${{ steps.a.values.v }}"\nc <- a';
    const world = new World(text, { given: { only: 'c' } });
    expect(world.running).toEqual(['c']);
    world.done('c');
    expect(world.state.status).toBe('SUCCEEDED');
    expect(world.statuses).toBe('a SKIPPED, b SKIPPED, c SUCCEEDED');
    const failed = new World(text, { given: { only: 'b' } });
    expect(failed.state.reason?.code).toBe('E_VAR_MISSING');
    expect(failed.statuses).toBe('a SKIPPED, b FAILED, c SKIPPED');
  });
});

describe('money', () => {
  const budget = { usd: 10, tokens: null };

  it('is reserved, settled, and stops the run when it is used up', () => {
    const world = new World('a : agent=x usd=6\nb : agent=x usd=6\nc <- b : agent=x usd=6', {
      workflow: { budget },
    });
    expect(world.running).toEqual(['a']);
    world.done('a', { usd: 3 });
    expect(world.running).toEqual(['b']);
    world.done('b', { usd: 3 });
    expect(world.state).toMatchObject({ status: 'FAILED', reason: { code: 'E_BUDGET' }, cost: { usd: 6 } });
  });

  it('that retries have used up does not hide why the first attempt failed', () => {
    const world = new World('a : agent=x usd=6 retry=2', { workflow: { budget } });
    world.fails('a', { usd: 6, text: 'no such module' });
    world.pass(60_000);
    expect(world.state.reason?.text).toBe(
      'the rest of the budget of the run is too small: $6.00 of $10.00 are spent, and it may cost $6.00; its last attempt failed: no such module',
    );
  });

  it('of a loop is reserved for what runs in its inner bodies', () => {
    const inner = '  inner : each=[1,2] concurrency=2\n    work : agent=x usd=6';
    const world = new World(`outer : each=[1] usd=10\n${inner}`);
    expect(world.running).toEqual(['outer/0/inner/0/work']);
    world.done('outer/0/inner/0/work', { usd: 3 });
    expect(world.running).toEqual(['outer/0/inner/1/work']);
  });

  it('that is used up starts nothing, also none of the steps that cost nothing', () => {
    const world = new World('a : agent=x\nb <- a\nc <- a : agent=x', { workflow: { budget } });
    world.done('a', { usd: 10 });
    expect(world.state).toMatchObject({ status: 'FAILED', reason: { code: 'E_BUDGET' } });
    expect(world.history.filter(({ type }) => type === 'started')).toHaveLength(1);
  });

  it('that no one can price is settled as it was reserved, never as nothing', () => {
    const world = new World('a : agent=x usd=6', { workflow: { budget } });
    world.crash();
    expect(world.state.cost).toEqual({ usd: 6, tokens: 0, unpriced: 1 });
  });

  it('does not hold back what costs nothing', () => {
    const world = new World('a : agent=x\nb <- a', { workflow: { budget } });
    world.done('a', { usd: 11 });
    expect(world.running).toEqual(['b']);
  });
});

describe('the breaker', () => {
  it('counts a step once, however often it fails', () => {
    const { state } = new World('a');
    for (let times = 0; times < 3; times += 1) countFailure(state, 'a', reason);
    expect(state.breaker?.steps).toEqual(['a']);
  });

  const branches =
    'a : agent=x continue\nb : agent=x continue\nc : agent=x continue\nd <- a b c\ne : agent=x continue';

  it('stops launching after three branches that failed in the same way', () => {
    const world = new World(branches, { slots: 1 });
    world.fails('a', { text: 'request 17 refused: no login' });
    world.fails('b', { text: 'request 18 refused: no login' });
    world.fails('c', { text: 'request 19 refused: no login' });
    expect(world.state).toMatchObject({ status: 'FAILED', reason: { code: 'E_BREAKER' } });
  });

  it.each([
    ['another error', () => ({ fails: 'something else' })],
    ['a success', () => ({ fails: null })],
  ])('does not after %s in between', (_, between) => {
    const world = new World(branches, { slots: 1 });
    world.fails('a', { text: 'no login' });
    const { fails } = between();
    if (fails === null) world.done('b');
    else world.fails('b', { text: fails });
    world.fails('c', { text: 'no login' });
    world.fails('e', { text: 'no login' });
    expect(world.state.status).toBe('RUNNING');
  });

  it('does not count programs of the author: their exit code is their word', () => {
    const world = new World('a : continue\nb : continue\nc : continue');
    for (const name of ['a', 'b', 'c']) world.fails(name);
    expect(world.state.status).toBe('SUCCEEDED');
  });
});

describe('convergence', () => {
  it('raises the stage when nothing changes, and fails at the last', () => {
    const world = new World('a : agent=x check=9 stall=2');
    for (const stage of [1, 2, 2]) {
      world.done('a');
      world.incomplete('a', [], ['same']);
      expect(world.state.steps.get('a')?.convergence.stage).toBe(stage);
    }
    expect(world.launch('a').work).toMatchObject({ leftToDo: expect.stringContaining('stage 2 of 3') });
    world.done('a');
    world.incomplete('a', [], ['same']);
    expect(world.state).toMatchObject({ status: 'FAILED', reason: { code: 'E_INCOMPLETE' } });
    expect(world.state.steps.get('a')).toMatchObject({ iteration: 4, convergence: { stage: 3 } });
  });

  it('continues at the last stage where it need not fail there', () => {
    const world = new World('a : check=6 stall=2 hope go-on');
    for (let round = 0; round < 6; round += 1) {
      world.done('a');
      world.incomplete('a', [], ['same']);
    }
    expect(world.state.steps.get('a')).toMatchObject({ iteration: 6, convergence: { stage: 3 } });
    expect(world.status('a')).toBe('INCOMPLETE');
  });

  it('compares sets of fingerprints, else of reasons, and nothing where there is neither', () => {
    const stage = (...rounds: [reasons: string[], fingerprints: string[]][]) => {
      const world = new World('a : check=9 stall=2');
      for (const [reasons, fingerprints] of rounds) {
        world.done('a');
        world.incomplete('a', reasons, fingerprints);
      }
      return world.state.steps.get('a')?.convergence.stage;
    };
    expect(stage([['x'], ['f', 'g']], [['y'], ['g', 'f', 'f']])).toBe(2);
    expect(stage([['x'], ['f']], [['x'], ['g']])).toBe(1);
    expect(stage([['x', 'y'], []], [['y', 'x'], []])).toBe(2);
    expect(stage([[], []], [[], []], [[], []])).toBe(1);
    // A round that finds nothing to compare leaves the count as it is.
    expect(stage([['x'], []], [[], []], [['x'], []])).toBe(2);
  });

  it('does not while findings change', () => {
    const world = new World('a : check=4 stall=2');
    for (const finding of ['x', 'y', 'x']) {
      world.done('a');
      world.incomplete('a', [finding]);
    }
    expect(world.state.steps.get('a')?.convergence.stage).toBe(1);
  });
});
