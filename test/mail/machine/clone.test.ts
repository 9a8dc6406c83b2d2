import fc from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { apply } from '../../../src/mail/machine/apply.ts';
import { cloneState } from '../../../src/mail/machine/explore/explore.ts';
import { encode } from '../../../src/disk/codec.ts';
import { anyEvent } from './nonsense.ts';
import { checkPlaces } from './places.ts';
import { play } from './random-world.ts';
import { settings, shortTapeLength } from './settings.ts';

const tapes = fc.array(fc.nat({ max: 999 }), shortTapeLength);
const events = fc.array(anyEvent, { minLength: 1, maxLength: 40, size: 'max' });

describe('a clone of a state', () => {
  it('says the same, and nothing that is applied to it changes the original', () => {
    fc.assert(
      fc.property(tapes, events, (tape, later) => {
        const { state } = play(tape, { watched: false });
        const before = JSON.stringify(encode(state));
        const clone = cloneState(state);
        expect(JSON.stringify(encode(clone))).toBe(before);
        expect(checkPlaces(later.reduce(apply, clone), null)).toEqual([]);
        expect(JSON.stringify(encode(state))).toBe(before);
      }),
      settings(60),
    );
  });
});
