import fc from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { encode } from '../../../src/disk/codec.ts';
import { finish, play } from './random-world.ts';
import { settings, tapeLength } from './settings.ts';

const tapes = fc.array(fc.nat({ max: 999 }), tapeLength);

describe('whatever protocol, agents, persons and clock do', () => {
  it('what always holds holds after every event', () => {
    fc.assert(
      fc.property(tapes, (tape) => {
        expect(play(tape).history.length).toBeGreaterThan(0);
      }),
      settings(40),
    );
  });

  it('when everybody answers what it owes, every thread ends or goes quiet, and no one waits', () => {
    fc.assert(
      fc.property(tapes, (tape) => {
        const world = play(tape);
        finish(world);
        expect([...world.state.waits.values()]).toEqual([]);
        expect([...world.state.turns.values()]).toEqual([]);
        expect([...world.state.threads.values()].filter(({ state }) => state === 'open')).toEqual([]);
        const steps = [...world.state.mail.values()].filter(({ message }) => message.type === 'step');
        const heard = world.heard();
        expect(steps.filter(({ message }) => heard[message.id] === undefined)).toEqual([]);
      }),
      settings(40),
    );
  });

  it('a state that was written and read again continues in the same way', () => {
    fc.assert(
      fc.property(tapes, (tape) => {
        const whole = play(tape);
        const read = play(tape, { snapshots: true });
        expect(read.acts()).toEqual(whole.acts());
        expect(JSON.stringify(encode(read.state))).toBe(JSON.stringify(encode(whole.state)));
      }),
      settings(10),
    );
  });
});
