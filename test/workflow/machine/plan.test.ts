import { describe, expect, it } from 'vitest';
import { planOf, type PlanData } from '../../../src/workflow/machine/plan.ts';
import { compile } from '../../../src/workflow/machine/rules.ts';
import { graph, workflow } from './graph.ts';

const data: PlanData = {
  estimate: () => ({ usd: 2, tokens: 1_000, price: null }),
  budget: { usd: null, tokens: null },
  slots: Infinity,
};

function plan(text: string, changes: Partial<PlanData> = {}, timeout: number | null = null) {
  return planOf(compile(workflow(graph(text), { timeout })), { ...data, ...changes });
}

describe('a plan', () => {
  it('puts steps into batches by the longest way to them', () => {
    const { batches } = plan(`
      a
      b
      c <- a
      d <- c b
    `);
    expect(batches).toEqual([
      { number: 1, parallel: true, steps: ['a', 'b'] },
      { number: 2, parallel: false, steps: ['c'] },
      { number: 3, parallel: false, steps: ['d'] },
    ]);
  });

  it('adds the time of what runs finally, after all others, to the timeout of the run', () => {
    const text =
      'a : timeout=2h\nb <- a : timeout=2h\nlast : finally\n  c : timeout=5m\n  d <- c : timeout=1m';
    const { batches, ceiling } = plan(text, {}, 3_600_000);
    expect(batches.map(({ steps }) => steps)).toEqual([['a'], ['b'], ['last']]);
    expect(ceiling.time).toBe(3_600_000 + 6 * 60_000);
    expect(plan(text).ceiling.time).toBe(4 * 3_600_000 + 6 * 60_000);
  });

  it('multiplies retries, iterations, fan-out and checks', () => {
    const { ceiling } = plan(`
      each : each=[1,2,3] retry=1
        a : agent=claude retry=2 check=4 timeout=1m
    `);
    // Of each item, twice: 4 iterations of 3 attempts and 3 checks.
    const launches = 3 * 2 * 4 * (3 + 3);
    expect(ceiling).toMatchObject({ launches, usd: launches * 2, tokens: launches * 1_000, unbounded: [] });
  });

  it('multiplies the iterations of a sub-workflow, and adds those of its check', () => {
    const { ceiling, expected } = plan(`
      cycle : child check=5 checker=claude limit=2m
        make : timeout=1m
        note <- make : timeout=1m
    `);
    // Five times the two steps, and each time a check, which may be tried three times and has a minute.
    expect(ceiling).toMatchObject({ processes: 5 * 2, launches: 5 * 3, time: 5 * (2 + 3) * 60_000 });
    expect(expected.tokens).toBe(1_000);
  });

  it('counts the time limit of a sub-workflow in each attempt, and the pauses between them', () => {
    const { ceiling } = plan(`
      part : child retry=1 limit=1m
        make : timeout=5m
    `);
    expect(ceiling).toMatchObject({ processes: 2, time: 2 * 60_000 + 1_000 });
  });

  it('shows what is unbounded as such', () => {
    const { ceiling } = plan(
      `
      a : timeout=1m
      each <- a : each="steps.a.values.v"
        b : agent=claude timeout=1m
      c : agent=codex
    `,
      { estimate: () => ({ usd: null, tokens: 1, price: null }) },
    );
    expect(ceiling).toMatchObject({ launches: null, usd: null, tokens: null, time: null, processes: 1 });
    expect(ceiling.unbounded.map(({ step, what }) => `${step} ${what}`)).toEqual([
      'each launches',
      'each/b usd',
      'c time',
      'c usd',
    ]);
  });

  it.each([
    ['the price of its tokens where no dollars limit it', null, 1_000_000, 10],
    ['its dollars where its tokens may cost more', 4, 1_000_000, 4],
    ['the price of its tokens where its dollars allow more', 40, 1_000_000, 10],
    ['nothing known without tokens or dollars', null, null, null],
  ])('a launch costs at most %s', (_what, usd, tokens, most) => {
    const price = { input: 2, cached: 0.2, output: 10 };
    const { ceiling } = plan('a : agent=codex timeout=1m', { estimate: () => ({ usd, tokens, price }) });
    expect(ceiling.usd).toBe(most);
  });

  it.each([
    [Infinity, 3],
    [1, 4],
    [2, 3.5],
  ])('takes, with %s at once, at most %s minutes', (slots, minutes) => {
    const { ceiling } = plan(
      `
      a : agent=codex timeout=1m
      b <- a : timeout=2m
      c : timeout=1m
    `,
      { slots },
    );
    expect(ceiling.time).toBe(minutes * 60_000);
  });

  it.each([
    [Infinity, 3],
    [1, 4],
    [2, 3],
  ])('is expected to take, with %s at once, %s minutes', (slots, minutes) => {
    const { expected } = plan('a : timeout=1m\nb <- a : timeout=2m\nc : timeout=1m\ng <- c : gate=1h', {
      slots,
    });
    expect(expected.time).toBe(minutes * 60_000);
    expect(plan('a').expected.time).toBeNull();
  });

  it('is expected to cost what its models take for a prompt and the work, no more than its budget', () => {
    const price = { input: 2, output: 10 };
    const of = (tokens: number | null) =>
      plan('a : agent=codex\nb : agent=codex', { estimate: () => ({ usd: null, tokens, price }) }).expected;
    const { tokens, usd } = of(null);
    expect(tokens).toBeGreaterThanOrEqual(20_000);
    expect(usd).toBeCloseTo((tokens * (0.9 * 2 + 0.1 * 10)) / 1e6, 4);
    expect(of(1_000).tokens).toBe(2_000);
    expect(plan('a : agent=codex').expected.usd).toBeNull();
  });

  it('counts pauses, visits of a sequence, and no time for gates', () => {
    expect(plan('a : retry=2 timeout=10s').ceiling.time).toBe(3 * 10_000 + 1_000 + 2_000);
    expect(plan('g : gate=1h').ceiling.time).toBe(0);
    expect(plan('a : ok=_end fail=a timeout=1s').ceiling.processes).toBe(4);
    expect(plan('a : ok=_end timeout=1s').ceiling.processes).toBe(1);
  });
});
