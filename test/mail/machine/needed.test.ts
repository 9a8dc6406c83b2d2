import fc from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { peers } from './protocols.ts';
import { finish, play } from './random-world.ts';
import { World, type Bend } from './world.ts';
import { settings, tapeLength } from './settings.ts';

const tapes = fc.array(fc.nat({ max: 999 }), tapeLength);

/** Nobody who waits is invoked for a request. */
const withoutNesting: Bend = (facts) =>
  facts.filter((fact) => fact.type !== 'claimed' || fact.nesting === 0 || fact.wait !== null);

/** A turn may end although it owes an answer. */
const withoutDebts: Bend = (facts) =>
  facts.map((fact) =>
    fact.type === 'corrected' && fact.problems.every((problem) => problem.startsWith('an answer is owed'))
      ? { type: 'committed', turn: fact.turn, sent: [] }
      : fact,
  );

/** Whether one of so many schedules leaves somebody waiting for ever, or must be saved from it. */
function someGetStuck(bend: Bend, tries: number): boolean {
  return fc.sample(tapes, { numRuns: tries, seed: 3 }).some((tape) => {
    const world = play(tape, { calm: true, watched: false, bend });
    finish(world);
    return world.history.some(({ type }) => type === 'failed-back') || world.state.waits.size > 0;
  });
}

describe('with debts and nested requests', () => {
  it('no one gets stuck, whatever the protocol, as long as requests need no join', () => {
    expect(someGetStuck((facts) => facts, settings(40).numRuns)).toBe(false);
  });

  it('the two go through who ask each other', () => {
    const world = new World(peers('role'));
    world.drop('user → one: go');
    world.turn('one', ['→ two: ask']);
    world.turn('two', ['→ one: ask']);
    expect(world.processes()).toEqual(['one in go']);
  });
});

describe('without nested requests', () => {
  it('the two hang who ask each other', () => {
    const world = new World(peers('role'), { bend: withoutNesting });
    world.drop('user → one: go');
    world.turn('one', ['→ two: ask']);
    world.turn('two', ['→ one: ask']);
    expect(world.processes()).toEqual([]);
    expect(world.state.waits.size).toBe(2);
  });

  it('some schedules hang', () => {
    expect(someGetStuck(withoutNesting, 1_000)).toBe(true);
  });
});

describe('without debts', () => {
  it('who asked somebody that says nothing is stuck', () => {
    const world = new World(peers('role'), { bend: withoutDebts, watched: false });
    world.drop('user → one: go');
    world.turn('one', ['→ two: ask']);
    world.turn('two', []);
    expect(world.acts().slice(-2)).toEqual(['ask is failed back to one', 'go fails: E_DEADLOCK']);
  });

  it('some schedules get stuck', () => {
    expect(someGetStuck(withoutDebts, 1_000)).toBe(true);
  });
});
