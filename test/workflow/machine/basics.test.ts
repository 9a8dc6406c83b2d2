import { describe, expect, it } from 'vitest';
import { endReason } from '../../../src/workflow/machine/end-reason.ts';
import { failure, World } from './world.ts';

describe('a graph', () => {
  it('runs steps whose needs are settled, and succeeds', () => {
    const world = new World(`
      implement
      test <- implement
      review <- implement
      fix <- review test
    `);
    expect(world.running).toEqual(['implement']);
    world.done('implement');
    expect(world.running).toEqual(['test', 'review']);
    world.done('review');
    expect(world.running).toEqual(['test']);
    world.done('test');
    world.done('fix');
    expect(world.state.status).toBe('SUCCEEDED');
    expect(world.decision).toEqual({ facts: [], processes: [], looks: [], wake: null });
  });

  it('continues after a failure that continues, and the run succeeds', () => {
    const world = new World(`
      a : continue
      b <- a
    `);
    world.fails('a', { class: 'NON_RETRYABLE' });
    world.done('b');
    expect(world.statuses).toBe('a FAILED, b SUCCEEDED');
    expect(world.state.status).toBe('SUCCEEDED');
  });

  it('aborts: what runs is cancelled, what waits is skipped', () => {
    const world = new World(`
      a
      b
      c <- b
    `);
    world.fails('a');
    expect(world.running).toEqual([]);
    expect(world.statuses).toBe('a FAILED, b CANCELLED, c SKIPPED');
    expect(world.state.status).toBe('FAILED');
    expect(world.state.reason?.text).toBe('it broke');
  });

  it('runs no more than its concurrency at once, in the order in which steps became ready', () => {
    const world = new World(
      `
      a
      b
      c
      d <- a
    `,
      { workflow: { concurrency: 2 } },
    );
    expect(world.running).toEqual(['a', 'b']);
    world.done('b');
    expect(world.running).toEqual(['a', 'c']);
    world.done('a');
    expect(world.running).toEqual(['c', 'd']);
  });

  it.each([
    ['waits to be tried again', 'retry=1', (world: World) => world.fails('a')],
    [
      'waits for its provider',
      'agent=claude',
      (world: World) => world.fails('a', { class: 'RETRYABLE_RATE_LIMIT', until: world.now + 60_000 }),
    ],
    ['waits for a person', 'gate=1h', () => {}],
  ])('gives the place of what %s to others', (_, flags, begin) => {
    const world = new World(`a : ${flags}\nb\nc`, { slots: 1, workflow: { concurrency: 1 } });
    begin(world);
    expect(world.running).toEqual(['b']);
    world.done('b');
    expect(world.running).toEqual(['c']);
  });

  it('hands on what an incomplete step made, where that may continue', () => {
    const world = new World(`
      a : check=2 go-on out
      b <- a : input=a say="got \${{ steps.a.values.v }}, \${{ steps.a.status }}"
    `);
    for (const v of [1, 2]) {
      world.done('a', { values: { v }, artifacts: ['out'] });
      world.incomplete('a');
    }
    expect(world.launch('b')).toMatchObject({
      work: { argv: ['got 2, INCOMPLETE'] },
      inputs: [{ from: 'a', artifact: 'out' }],
    });
  });

  it('skips what comes after a policy that says so, lets the rest continue, and fails', () => {
    const world = new World(`
      a : skip-dependents
      b <- a
      c
    `);
    world.fails('a');
    expect(world.running).toEqual(['c']);
    world.done('c');
    expect(world.statuses).toBe('a FAILED, b SKIPPED, c SUCCEEDED');
    expect(world.state.steps.get('b')?.phase).toMatchObject({ skipped: { why: 'dependency', step: 'a' } });
    expect(world.state.status).toBe('FAILED');
  });
});

describe('retries', () => {
  it('are paused longer and longer, and run out', () => {
    const world = new World('a : retry=2');
    world.fails('a');
    expect(world.running).toEqual([]);
    world.pass(999);
    expect(world.running).toEqual([]);
    world.pass(1);
    expect(world.running).toEqual(['a']);
    world.fails('a');
    world.pass(1_999);
    expect(world.running).toEqual([]);
    world.pass(1);
    world.fails('a');
    expect(world.state.status).toBe('FAILED');
    expect(world.state.steps.get('a')?.attempts).toBe(3);
  });

  it.each([
    ['retry=2', 'NON_RETRYABLE', 'FAILED'],
    ['continue', 'NON_RETRYABLE', 'SUCCEEDED'],
    ['continue', 'RETRYABLE_TRANSIENT', 'SUCCEEDED'],
    ['continue', 'FATAL', 'FAILED'],
    ['retry=2', 'FATAL', 'FAILED'],
    ['abort', 'RETRYABLE_TRANSIENT', 'FAILED'],
  ] as const)('are not for %s after %s: the run is %s', (policy, errorClass, status) => {
    const world = new World(`a : ${policy}`);
    world.fails('a', { class: errorClass });
    expect(world.state.status).toBe(status);
    expect(world.state.steps.get('a')?.attempts).toBe(1);
  });

  it('begin anew with each iteration', () => {
    const world = new World('a : retry=1 check=3');
    for (const _ of [1, 2]) {
      world.fails('a');
      world.pass(1_000);
      world.done('a');
      world.incomplete('a');
    }
    world.fails('a');
    world.pass(1_000);
    world.fails('a');
    expect(world.state).toMatchObject({ status: 'FAILED', reason: { text: 'it broke' } });
    expect(world.state.steps.get('a')).toMatchObject({ iteration: 3, attempts: 6 });
  });

  it('cost nothing when a provider is at its limit', () => {
    const world = new World(`
      a : agent=claude retry=1
      b : agent=claude
      c : agent=codex
    `);
    world.fails('a', { class: 'RETRYABLE_RATE_LIMIT', until: world.now + 60_000 });
    world.fails('b', { class: 'RETRYABLE_RATE_LIMIT', until: world.now + 90_000 });
    expect(world.running).toEqual(['c']);
    world.pass(90_000);
    expect(world.running).toEqual(['a', 'b', 'c']);
    expect(world.state.steps.get('a')?.attempts).toBe(0);
  });

  it('cost no retry when a merge meets further work that conflicts', () => {
    const world = new World('a : command retry=1');
    const further = {
      code: 'E_CONFLICT',
      reported: 'further_conflict',
      class: 'RETRYABLE_TRANSIENT',
    } as const;
    for (const _ of [1, 2, 3]) {
      world.fails('a', further);
      expect(world.running).toEqual(['a']);
    }
    world.fails('a', { ...further, code: 'E_STEP' });
    world.pass(60_000);
    world.fails('a', { ...further, reported: null });
    expect(world.state.steps.get('a')).toMatchObject({ attempts: 5, phase: { status: 'FAILED' } });
  });
});

describe('usage limits', () => {
  const limit = { class: 'RETRYABLE_RATE_LIMIT', text: 'at its limit' } as const;
  const rests = (world: World, ends: () => void): number[] => {
    const found: number[] = [];
    while (world.state.status === 'RUNNING') {
      ends();
      if (world.state.status === 'RUNNING') found.push(((world.decision.wake ?? 0) - world.now) / 1_000);
      world.pass(7_200_000);
    }
    return found;
  };
  const minutes = [60, 120, 240, 480, 960, 1_920, ...Array.from({ length: 25 }, () => 3_600)];

  it('of a worker rest twice as long each time, and fail the step in the end', () => {
    const world = new World('a : agent=claude');
    expect(rests(world, () => world.fails('a', { ...limit, until: world.now }))).toEqual(minutes);
    expect(world.state).toMatchObject({
      status: 'FAILED',
      reason: { text: 'at its limit (32 launches ended at the usage limit)' },
    });
  });

  it('of a check do the same', () => {
    const world = new World('a : agent=claude check=3');
    world.done('a');
    const verdict = { is: 'none', reason: { code: 'E_PROVIDER', text: limit.text }, final: false } as const;
    expect(rests(world, () => world.checked('a', verdict, failure(limit)))).toEqual(minutes);
    expect(world.state.status).toBe('FAILED');
  });
});

describe('completion checks', () => {
  it('run the worker again until it is complete', () => {
    const world = new World('a : check=3');
    world.done('a', { values: { v: 1 } });
    expect(world.running).toEqual(['a?']);
    world.incomplete('a');
    expect(world.running).toEqual(['a']);
    world.done('a', { values: { v: 2 } });
    world.complete('a');
    expect(world.state.status).toBe('SUCCEEDED');
    expect(world.state.steps.get('a')).toMatchObject({ iteration: 2, attempts: 2, values: { v: 2 } });
  });

  it.each([
    ['a : check=2', 'FAILED'],
    ['a : check=2 continue', 'FAILED'],
    ['a : check=2 go-on', 'SUCCEEDED'],
  ])('%s: exhausted, the run is %s', (text, status) => {
    const world = new World(text);
    for (let round = 0; round < 2; round += 1) {
      world.done('a');
      world.incomplete('a');
    }
    expect(world.state.status).toBe(status);
  });

  it('are made three times when they give no verdict, without the worker', () => {
    const world = new World('a : check=2');
    world.done('a');
    const reason = { code: 'E_CHECK', text: 'no verdict' } as const;
    world.checked('a', { is: 'none', reason, final: false });
    world.checked('a', { is: 'none', reason, final: false });
    expect(world.running).toEqual(['a?']);
    world.checked('a', { is: 'none', reason, final: false });
    expect(world.state).toMatchObject({ status: 'FAILED', reason });
  });
});

describe('how much runs at once', () => {
  it('is what the workflow says, of which only so many are agents as the host can have', () => {
    const text = 'a : agent=codex\nb : agent=codex\nc : agent=claude\nd\ne\nf';
    const world = new World(text, { agents: 2, workflow: { concurrency: 4 } });
    expect(world.running).toEqual(['a', 'b', 'd', 'e']);
    world.done('d');
    expect(world.running).toEqual(['a', 'b', 'e', 'f']);
    world.done('a');
    expect(world.running).toEqual(['b', 'e', 'f', 'c']);
  });

  it('is 64 where the workflow does not say, and more where it does', () => {
    const steps = Array.from({ length: 80 }, (_, index) => `s${String(index)}`).join('\n');
    expect(new World(steps).running).toHaveLength(64);
    expect(new World(steps, { workflow: { concurrency: 79 } }).running).toHaveLength(79);
  });

  it('bounds agents that check, too: a script that ends leaves no place for one', () => {
    const world = new World('a : check=2 checker=codex\nb : agent=codex', { agents: 1 });
    expect(world.running).toEqual(['a', 'b']);
    world.done('a');
    expect(world.running).toEqual(['b']);
    world.done('b');
    expect(world.running).toEqual(['a?']);
    world.complete('a');
    expect(world.state.status).toBe('SUCCEEDED');
  });
});

it.each([
  ['a : skip-dependents', 'a', 'a: it broke'],
  ['a', 'a', 'a: it broke'],
  ['l : each=[1] skip-dependents\n  a', 'l/0/a', 'l/0/a: it broke'],
])('the reason of a run names the step that failed: %s', (text, path, reason) => {
  const world = new World(text);
  world.fails(path, { class: 'NON_RETRYABLE' });
  expect([world.state.status, endReason(world.state)]).toEqual(['FAILED', reason]);
});

it.each([
  ['a : continue\nb <- a', ['a'], 'a failed: it broke'],
  ['a : continue\nc : continue\nb <- a c', ['a', 'c'], 'a and 1 other step failed: it broke'],
  ['a\nb <- a', [], null],
])('a run that succeeded names the steps that failed nevertheless: %s', (text, failing, reason) => {
  const world = new World(text);
  for (const path of failing) world.fails(path, { class: 'NON_RETRYABLE' });
  if (failing.length === 0) world.done('a');
  world.done('b');
  expect([world.state.status, endReason(world.state)]).toEqual(['SUCCEEDED', reason]);
});
