import fc, { runs } from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { apply } from '../../../src/workflow/machine/apply.ts';
import { decide } from '../../../src/workflow/machine/decide.ts';
import { emptyRunState } from '../../../src/workflow/machine/state.ts';
import { graphText, sequenceText } from './random-graph.ts';
import { finish, play } from './random-run.ts';
import { copy, World } from './world.ts';

/** Definitions without a step that fails on purpose. */
const innocent = graphText.filter((text) => !text.includes('fails='));

const tape = fc.array(fc.nat({ max: 1_000 }), { maxLength: 80 });
const limits = fc.record({
  slots: fc.constantFrom(1, 2, Infinity),
  workflow: fc.record({
    concurrency: fc.constantFrom(null, 1, 2),
    timeout: fc.constantFrom(null, 600_000),
  }),
});

/** Of a run that ends how it does; else what has ended, how, and what runs or can run. */
function outlook({ state }: World): unknown {
  if (state.ending !== null) return state.status;
  const ended = [...state.steps.values()].flatMap(({ path, phase }) =>
    phase.is === 'settled' ? [[path, phase.status] as const] : [],
  );
  return [state.status, new Map(ended), new Set([...state.active, ...state.ready])];
}

describe('any schedule', () => {
  it.each([
    ['a graph', graphText, runs(300)],
    ['a sequence', sequenceText, runs(120)],
  ])('of %s ends, and what must hold holds after every event', (_, text, numRuns) => {
    let succeeded = 0;
    fc.assert(
      fc.property(text, tape, limits, (definition, moves, options) => {
        const world = play(definition, moves, options);
        if (world.state.status === 'SUCCEEDED') succeeded += 1;
      }),
      { numRuns },
    );
    // A machine that only fails cannot pass.
    expect(succeeded).toBeGreaterThan(numRuns / 10);
  });

  it('in which nothing goes wrong succeeds, and runs every step once', () => {
    fc.assert(
      fc.property(innocent, limits, (definition, options) => {
        const world = play(definition, [], { ...options, workflow: { ...options.workflow, timeout: null } });
        const started = world.history.flatMap((event) => (event.type === 'started' ? [event.path] : []));
        expect(new Set(started).size).toBe(started.length);
        const settled = new Set(['SUCCEEDED', 'SKIPPED', 'FAILED']);
        for (const id of world.rules.root.steps.keys()) expect(settled).toContain(world.status(id));
      }),
      { numRuns: runs(75) },
    );
  });

  it('folds to the same state from its journal, cut anywhere and continued', () => {
    fc.assert(
      fc.property(graphText, tape, limits, fc.nat(), (definition, moves, options, cut) => {
        const world = play(definition, moves, options);
        const fold = (events: typeof world.history, from = emptyRunState()) =>
          events.reduce((state, event) => apply(state, copy(event)), from);
        expect(fold(world.history)).toEqual(world.state);
        const at = cut % (world.history.length + 1);
        expect(fold(world.history.slice(at), copy(fold(world.history.slice(0, at))))).toEqual(world.state);
      }),
      { numRuns: runs(38) },
    );
  });

  it('of a graph ends with the step that fails, though a torn write keeps no more than that', () => {
    const world = new World('a\nb', { watched: false });
    world.fails('a', { class: 'NON_RETRYABLE' });
    world.rewind(world.history.slice(0, 1 + world.history.findIndex(({ type }) => type === 'settled')));
    world.settle();
    expect([world.statuses, world.state.status]).toEqual(['a FAILED, b CANCELLED', 'FAILED']);
  });

  it.each([
    ['a graph', graphText],
    ['a sequence', sequenceText],
  ])(
    'of %s comes to the same, of whatever was decided at one time a torn write keeps only the first',
    (_, text) => {
      let torn = 0;
      fc.assert(
        fc.property(text, tape, limits, fc.nat(), (definition, moves, options, pick) => {
          const world = play(definition, moves, options);
          const { history } = world;
          const several = world.decided.filter(({ from, to }) => to - from > 1);
          const [{ from, to, now } = { from: 0, to: 0, now: 0 }] = several.slice(
            pick % Math.max(1, several.length),
          );
          if (to === 0) return;
          const after = new World(definition, options);
          after.rewind(history.slice(0, to));
          const isCrowded = options.slots !== Infinity || options.workflow.concurrency !== null;
          for (let kept = from + 1; kept < to; kept += 1) {
            const again = new World(definition, { ...options, watched: false });
            again.rewind(history.slice(0, kept));
            again.now = now;
            again.settle();
            // Another step may get one of few slots first, or end a run beside others that end it.
            if (isCrowded || after.state.ending !== null) expect(outlook(again)).toEqual(outlook(after));
            // What was decided again is there twice, and the second time means nothing.
            else expect({ ...again.state, events: 0 }).toEqual({ ...after.state, events: 0 });
            torn += 1;
          }
        }),
        { numRuns: runs(50) },
      );
      expect(torn).toBeGreaterThan(20);
    },
  );

  it('that failed continues when it is resumed, finishes nothing twice, and ends', () => {
    fc.assert(
      fc.property(graphText, tape, limits, (definition, moves, options) => {
        const world = play(definition, moves, options);
        if (world.state.status === 'SUCCEEDED') return;
        world.happens({ type: 'resumed', by: 'person' });
        finish(world);
        expect(['SUCCEEDED', 'FAILED', 'TIMED_OUT']).toContain(world.state.status);
      }),
      { numRuns: runs(125) },
    );
  });

  it('that ended continues when one of its failures is tried again', () => {
    fc.assert(
      fc.property(graphText, tape, limits, fc.nat(), (definition, moves, options, pick) => {
        const world = play(definition, moves, options);
        const failed = [...world.state.steps.values()].filter(
          ({ phase }) => phase.is === 'settled' && phase.status === 'FAILED',
        );
        const chosen = failed[pick % Math.max(1, failed.length)];
        if (!chosen) return;
        world.happens({ type: 'retried', path: chosen.path, instructions: null, by: 'ada', command: null });
        finish(world);
        expect(world.state.endedAt).not.toBeNull();
      }),
      { numRuns: runs(125) },
    );
  });

  it('takes events in any order, missing or repeated, and still decides', () => {
    fc.assert(
      fc.property(graphText, tape, fc.array(fc.nat(), { maxLength: 120 }), (definition, moves, order) => {
        const { history, rules } = play(definition, moves, {});
        let state = emptyRunState();
        for (const pick of order) state = apply(state, copy(history[pick % history.length]!));
        expect(state.events).toBe(order.length);
        expect(() => decide(state, rules, state.now)).not.toThrow();
      }),
      { numRuns: runs(50) },
    );
  });
});
