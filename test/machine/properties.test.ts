import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encode } from '../../src/store/codec.ts';
import { finish, play } from './random-world.ts';

const tapes = fc.array(fc.nat({ max: 999 }), { minLength: 40, maxLength: 400, size: 'max' });
/** The same every time; `MACHINE_RUNS=2000 MACHINE_SEED=7` looks further. */
const numRuns = Number(process.env['MACHINE_RUNS'] ?? 5);
const seed = Number(process.env['MACHINE_SEED'] ?? 1);

describe('whatever protocol, agents, persons and clock do', () => {
  it('what always holds holds after every event', () => {
    fc.assert(
      fc.property(tapes, (tape) => {
        expect(play(tape).history.length).toBeGreaterThan(0);
      }),
      { numRuns, seed },
    );
  });

  it('when everybody answers what it owes, every thread ends or goes quiet, and nobody waits', () => {
    fc.assert(
      fc.property(tapes, (tape) => {
        const world = play(tape);
        finish(world);
        expect([...world.state.waits.values()]).toEqual([]);
        expect([...world.state.turns.values()]).toEqual([]);
        expect([...world.state.threads.values()].filter(({ state }) => state === 'open')).toEqual([]);
      }),
      { numRuns, seed },
    );
  });

  it('a state that was written and read again goes on in the same way', () => {
    fc.assert(
      fc.property(tapes, (tape) => {
        const whole = play(tape);
        const read = play(tape, { snapshots: true });
        expect(read.acts()).toEqual(whole.acts());
        expect(JSON.stringify(encode(read.state))).toBe(JSON.stringify(encode(whole.state)));
      }),
      { numRuns: Math.ceil(numRuns / 4), seed },
    );
  });
});
