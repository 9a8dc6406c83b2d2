import fc from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { apply } from '../../../src/mail/machine/apply.ts';
import { decide } from '../../../src/mail/machine/decide.ts';
import { stamp, type MailEvent } from '../../../src/mail/machine/event.ts';
import type { Protocol } from '../../../src/mail/format/protocol.ts';
import { emptyState, type MailState } from '../../../src/mail/machine/state.ts';
import { encode } from '../../../src/disk/codec.ts';
import { anyEvent } from './nonsense.ts';
import { checkPlaces } from './places.ts';
import { play } from './random-world.ts';
import { settings, shortTapeLength } from './settings.ts';

const tapes = fc.array(fc.nat({ max: 999 }), shortTapeLength);
const nonsense = fc.array(anyEvent, { minLength: 1, maxLength: 60, size: 'max' });

function applyAll(state: MailState, events: readonly MailEvent[]): MailState {
  return events.reduce((before, event) => {
    const after = apply(before, event);
    expect(checkPlaces(after, null)).toEqual([]);
    return after;
  }, state);
}

/** Decides until there is nothing left to decide; false when that never comes. */
function comesToRest(start: MailState, protocol: Protocol): boolean {
  let state = start;
  for (let round = 0; round < 300; round += 1) {
    const { facts } = decide(state, protocol, state.now);
    if (facts.length === 0) return true;
    for (const [index, fact] of facts.entries())
      state = apply(
        state,
        stamp(fact, state.now, () => `n${String(round)}-${String(index)}`),
      );
  }
  return false;
}

/** A turn that is open may go on with just such an event. */
function isCurrent(state: MailState, event: MailEvent): boolean {
  return 'turn' in event && state.turns.has(event.turn);
}

describe('apply', () => {
  it('takes any event in any state, and every copy stays in one place', () => {
    fc.assert(
      fc.property(nonsense, (events) => {
        applyAll(emptyState(), events);
      }),
      settings(240),
    );
  });

  it('takes any event in a state that real work has led to; deciding comes to an end all the same', () => {
    fc.assert(
      fc.property(tapes, nonsense, (tape, events) => {
        const { state, protocol } = play(tape);
        expect(comesToRest(applyAll(state, events), protocol)).toBe(true);
      }),
      settings(60),
    );
  });

  it('does not change anything for an event that comes twice or too late', () => {
    fc.assert(
      fc.property(tapes, fc.nat(), (tape, number) => {
        const { history, state } = play(tape);
        fc.pre(history.length > 0);
        const event = history[number % history.length]!;
        const again = ['claimed', 'committed', 'accepted', 'abandoned', 'returned', 'corrected'];
        // A dead letter that was put back may be taken up again.
        const retried = history.some((one) => one.type === 'controlled' && one.command.verb === 'retry');
        fc.pre(again.includes(event.type) && !retried && !isCurrent(state, event));
        const shown = () => JSON.stringify({ ...(encode(state) as object), now: 0, events: 0 });
        const before = shown();
        apply(state, event);
        expect(shown()).toBe(before);
      }),
      settings(60),
    );
  });
});
