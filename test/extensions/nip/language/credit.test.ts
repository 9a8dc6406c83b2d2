import fc from '../../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import type { Workflow } from '../../../../src/workflow/model.ts';
import { allocation, creditOf, unitsOf } from '../../../../src/workflow/machine/credit.ts';
import { isIn } from '../../../../src/workflow/machine/fold/steps.ts';
import { nip } from './nip.ts';
import { World } from '../../../workflow/machine/world.ts';

const chain = nip(
  ['step', 'a', '5200', 'output:one'],
  ['step', 'b', '5200', 'output:two', 'budget:250'],
  ['step', 'c', '5200', 'output:three'],
  ['edge', 'a', 'b'],
  ['edge', 'b', 'c'],
);

function worldOf(workflow: Workflow, units: number, perUsd: number | null = 1_000): World {
  const budget = { usd: null, tokens: null, units };
  return new World(workflow, { given: { budget, currency: { name: 'msats', perUsd, enforced: true } } });
}

function reserved(world: World, step: string): number | undefined {
  const run = world.state.steps.get(step);
  return isIn(run, 'running') ? run.phase.reserves?.units : undefined;
}

describe('a budget in msats', () => {
  it('is shared among the steps that are left, at most a step its cap', () => {
    const world = worldOf(chain, 1_000);
    expect(reserved(world, 'a')).toBe(333);
    world.done('a', { usd: 0.1 });
    // (1000 - 100) / 2 = 450, and b may have 250.
    expect(reserved(world, 'b')).toBe(250);
    world.done('b', { usd: 0.2 });
    expect(reserved(world, 'c')).toBe(700);
    world.done('c', { usd: 0.7 });
    expect(world.state.status).toBe('SUCCEEDED');
    expect(creditOf(world.state)).toEqual({ currency: 'msats', total: 1_000, spent: 1_000, reserved: 0 });
  });

  it('is charged what a step reserves that reports more than it can have used', () => {
    const world = worldOf(chain, 1_000);
    world.done('a', { usd: 1e308 });
    expect(world.state.cost).toEqual({ usd: 0, tokens: 0, unpriced: 1, units: 333 });
    expect(world.status('b')).toBe('RUNNING');
  });

  it('ends the run when one unit more is spent, at the last step, too', () => {
    const world = worldOf(chain, 1_000);
    world.done('a', { usd: 0.1 });
    world.done('b', { usd: 0.2 });
    world.done('c', { usd: 0.701 });
    expect(world.state.status).toBe('FAILED');
    expect(world.state.reason).toEqual({
      code: 'E_BUDGET',
      text: 'the budget of the run is used up: 1001 of 1000 msats are spent',
    });
    expect(world.status('c')).toBe('SUCCEEDED');
  });

  it('starts nothing where nothing is left, and the run fails, whatever its steps do about failures', () => {
    const [a, b] = [
      ['step', 'a', '5200', 'output:one', 'policy:skip'],
      ['step', 'b', '5200', 'output:two'],
    ] as const;
    const workflow = nip([...a], [...b], ['edge', 'a', 'b']);
    const zero = worldOf(workflow, 0);
    expect([zero.status('a'), zero.state.status, zero.state.reason?.text]).toEqual([
      'SKIPPED',
      'FAILED',
      'the budget of the run is used up: 0 of 0 msats are spent',
    ]);
    const spent = worldOf(workflow, 5);
    spent.done('a', { usd: 0.005 });
    expect([spent.status('b'), spent.state.status]).toEqual(['SKIPPED', 'FAILED']);
  });

  it('has a step wait for what others have reserved, and gives it what they leave', () => {
    const world = worldOf(parallel([null, null]), 1);
    expect([world.running, reserved(world, 's0')]).toEqual([['s0'], 1]);
    world.done('s0', { usd: 0 });
    expect([world.running, reserved(world, 's1')]).toEqual([['s1'], 1]);
    world.done('s1', { usd: 0.001 });
    expect(world.state.status).toBe('SUCCEEDED');
  });

  it('settles at the allocation what no one can say in msats', () => {
    const world = worldOf(chain, 1_000, null);
    world.done('a', { usd: 0.5 });
    expect(world.state.cost).toMatchObject({ units: 333, unpriced: 1 });
    expect(reserved(world, 'b')).toBe(250);
  });

  it('is not enforced where mailroom.yaml says so', () => {
    const budget = { usd: null, tokens: null, units: 10 };
    const world = new World(chain, {
      given: { budget, currency: { name: 'msats', perUsd: 1_000, enforced: false } },
    });
    world.done('a', { usd: 1 });
    expect(reserved(world, 'b')).toBe(0);
    expect(world.running).toEqual(['b']);
  });
});

/** Steps that nothing connects, some with a cap. */
const parallel = (caps: readonly (number | null)[]) =>
  nip(
    ...caps.map((cap, index) => [
      'step',
      `s${String(index)}`,
      '5200',
      `output:o${String(index)}`,
      'policy:retry',
      'retries:1',
      ...(cap === null ? [] : [`budget:${String(cap)}`]),
    ]),
  );

const caps = fc.array(fc.option(fc.integer({ min: 1, max: 500 })), { minLength: 1, maxLength: 6 });
const outcomes = fc.array(
  fc.record({ part: fc.nat(100), msats: fc.nat(400), pick: fc.nat(5), fails: fc.boolean() }),
  { minLength: 30 },
);

/** Plays outcomes until the run is over; `costs` says what a launch comes to. */
function play(
  world: World,
  ends: readonly { readonly pick: number; readonly fails: boolean }[],
  costs: (index: number, share: number) => number,
  look: (spent: number) => void,
): number {
  let spent = 0;
  for (const [index, { pick, fails }] of ends.entries()) {
    look(spent);
    world.pass(30_000);
    const step = world.running[pick % Math.max(1, world.running.length)];
    if (step === undefined) break;
    const cost = costs(index, reserved(world, step) ?? 0);
    spent += cost;
    if (fails) world.fails(step, { usd: cost / 1_000 });
    else world.done(step, { usd: cost / 1_000 });
  }
  return spent;
}

describe('whatever steps cost', () => {
  it('steps that keep to their share never spend more than the budget, nor is more than it given away', () => {
    fc.assert(
      fc.property(fc.nat(2_000), caps, outcomes, (total, given, ends) => {
        const world = worldOf(parallel(given), total);
        const part = (index: number, share: number) => Math.floor((share * ends[index]!.part) / 100);
        play(world, ends, part, (spent) => {
          const credit = creditOf(world.state)!;
          expect(credit.spent).toBe(spent);
          expect(credit.spent + credit.reserved).toBeLessThanOrEqual(total);
        });
        // Nothing is left for a step that is to be tried again.
        expect(creditOf(world.state)!.spent === total || world.state.reason?.code !== 'E_BUDGET').toBe(true);
        expect(world.state.endedAt === null || creditOf(world.state)!.reserved === 0).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it('the run ends for its budget as soon as more is spent, or nothing is left for a step, and only then', () => {
    fc.assert(
      fc.property(fc.nat(2_000), caps, outcomes, (total, given, ends) => {
        const world = worldOf(parallel(given), total);
        const spent = play(
          world,
          ends,
          (index) => ends[index]!.msats,
          (before) => {
            expect(before > total && world.state.endedAt === null).toBe(false);
          },
        );
        expect(creditOf(world.state)!.spent).toBe(spent);
        // A step that fails for good at the same time is the reason.
        expect(spent <= total || world.state.status === 'FAILED').toBe(true);
        expect(spent >= total || world.state.reason?.code !== 'E_BUDGET').toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it('is divided without losing or making a unit', () => {
    const amount = fc.maxSafeNat();
    fc.assert(
      fc.property(amount, fc.integer({ min: 1, max: 1_000 }), fc.option(amount), (left, open, cap) => {
        const share = allocation(left, open, cap);
        const part = BigInt(left) / BigInt(open);
        const whole = part === 0n && left > 0 ? 1n : part;
        expect(BigInt(share)).toBe(cap !== null && BigInt(cap) < whole ? BigInt(cap) : whole);
      }),
    );
  });

  it('is the same in msats as on paper, rounded up', () => {
    const digits = fc.nat({ max: 999_999_999 });
    fc.assert(
      fc.property(digits, fc.nat(12), fc.integer({ min: 1, max: 1_000_000 }), (whole, places, perUsd) => {
        const usd = Number(`${String(whole)}e-${String(places)}`);
        const exact = BigInt(whole) * BigInt(perUsd);
        const by = 10n ** BigInt(places);
        expect(BigInt(unitsOf(usd, perUsd))).toBe((exact + by - 1n) / by);
      }),
    );
    expect(unitsOf(5e-324, 1)).toBe(1);
    expect(unitsOf(1e300, 1_000)).toBe(Number.MAX_SAFE_INTEGER);
  });
});
