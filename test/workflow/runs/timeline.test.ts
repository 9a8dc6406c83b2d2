import { describe, expect, it } from 'vitest';
import { timelineOf } from '../../../src/workflow/runs/timeline.ts';
import { timelineDocument, type Stretch } from '../../../src/documents/runs.ts';
import { apply } from '../../../src/workflow/machine/apply.ts';
import { emptyRunState } from '../../../src/workflow/machine/state.ts';
import { copy, start, World } from '../machine/world.ts';

/** `worker 1.1 0-2000 failed: it broke`: each stretch, with milliseconds since the start of the run. */
function linesOf(world: World, from = 0): Record<string, string[]> {
  const events = world.history.slice(from).map(copy);
  const before = world.history.slice(0, from).map(copy).reduce(apply, emptyRunState());
  const document = timelineOf('r1', { before, events, complete: from === 0 });
  expect(timelineDocument.parse(document)).toEqual(document);
  return Object.fromEntries(document.steps.map(({ path, stretches }) => [path, stretches.map(lineOf)]));
}

function lineOf({ kind, iteration, attempt, from, to, result, reason }: Stretch): string {
  const since = (time: string) => String(Date.parse(time) - start);
  const how = result === null ? '' : ` ${result}${reason === null ? '' : `: ${reason}`}`;
  return `${kind} ${String(iteration)}.${String(attempt)} ${since(from)}-${to === null ? '' : since(to)}${how}`;
}

describe('the timeline of a run', () => {
  it('has every attempt, and the pauses between them', () => {
    const world = new World('a : retry=2\nb <- a');
    world.pass(2_000);
    world.fails('a');
    world.pass(5_000);
    world.done('a');
    expect(linesOf(world)).toEqual({
      a: ['worker 1.1 0-2000 failed: it broke', 'pause 1.1 2000-3000', 'worker 1.2 3000-7000 done'],
      b: ['worker 1.1 7000-'],
    });
  });

  it('has the wait for a slot, a person and the steps inside', () => {
    const world = new World('ask : gate=1h\neach <- ask : each=[1,2]\n  one', { slots: 1 });
    world.pass(1_000);
    world.judge('ask', 'approve', world.now, { comment: 'Go.' });
    world.pass(500);
    world.done('each/0/one');
    world.pass(500);
    world.done('each/1/one');
    const lines = linesOf(world);
    expect(lines['ask']).toEqual(['gate 1.0 0-1000 done: approve by ada: Go.']);
    expect(lines['each']).toEqual(['body 1.1 1000-2000 done']);
    expect(lines['each/0/one']?.at(-1)).toBe('worker 1.1 1000-1500 done');
    expect(lines['each/1/one']?.at(-1)).toBe('worker 1.1 1500-2000 done');
  });

  it('has the checks of a step, and its further iterations', () => {
    const world = new World('a : check=3');
    world.done('a');
    world.pass(100);
    world.incomplete('a', ['more tests', 'a text']);
    world.done('a');
    world.complete('a');
    expect(linesOf(world)['a']).toEqual([
      'worker 1.1 0-0 done',
      'check 1.1 0-100 incomplete: more tests; a text',
      'worker 2.1 100-100 done',
      'check 2.1 100-100 done',
    ]);
  });

  it('ends what ran at the last record before a host that died', () => {
    const world = new World('a');
    world.pass(1_000);
    world.record({ type: 'parked', provider: 'claude', until: world.now });
    world.pass(60_000);
    world.crash();
    expect(linesOf(world)['a']).toEqual(['worker 1.1 0-1000 stopped', 'worker 1.2 61000-']);
  });

  it('ends what ran when the run is cancelled', () => {
    const world = new World('a\nb <- a');
    world.pass(1_000);
    world.happens({ type: 'cancelled', by: 'ada', command: null });
    const lines = linesOf(world);
    expect(lines['a']?.[0]).toMatch(/^worker 1\.1 0-1000/);
    expect(lines['b']).toBe(undefined);
  });

  it('begins with what the journal keeps', () => {
    const world = new World('a\nb <- a');
    const from = world.history.length;
    world.pass(1_000);
    world.done('a');
    expect(linesOf(world, from)).toEqual({
      a: ['worker 1.1 0-1000 done'],
      b: ['worker 1.1 1000-'],
    });
  });
});
