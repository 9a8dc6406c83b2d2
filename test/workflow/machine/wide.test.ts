import { describe, expect, it } from 'vitest';
import type { Step } from '../../../src/workflow/model.ts';
import { planOf } from '../../../src/workflow/machine/plan.ts';
import { launchOf } from '../../../src/workflow/machine/resolve.ts';
import { compile } from '../../../src/workflow/machine/rules.ts';
import { effortOf } from './effort.ts';
import { step, template, workflow } from './graph.ts';
import { World } from './world.ts';

const few = 300;
const many = 4 * few;
/** Four times as many steps are four times as much work; what goes through all of them at each would be up to sixteen. */
const linear = 4.5;
const slots = 10;

function layered(count: number, width: number): Step[] {
  const id = (index: number): string => `s${String(index)}`;
  return Array.from({ length: count }, (_none, index) => {
    const above = (Math.floor(index / width) - 1) * width;
    const needs = index < width ? [] : [...new Set([above, above + (index % width)])];
    return step(id(index), { needs: needs.map((need) => ({ step: id(need), when: null })) });
  });
}

/** Ends whatever runs until nothing does; returns how often each step was started, and the most that ran at once. */
function play(world: World): { started: number; twice: number; most: number } {
  const started = new Map<string, number>();
  let most = 0;
  while (world.running.length > 0) {
    most = Math.max(most, world.running.length);
    const [first = ''] = world.running;
    started.set(first, (started.get(first) ?? 0) + 1);
    world.done(first);
  }
  const twice = [...started.values()].filter((times) => times > 1).length;
  return { started: started.size, twice, most };
}

/** By how much more is gone through for many steps than for a few. */
function growth(act: (count: number) => void): number {
  return effortOf(() => act(many)) / effortOf(() => act(few));
}

const unwatched = { slots, watched: false };

describe('a workflow of very many steps', () => {
  it.each([
    ['flat', (count: number) => layered(count, count), slots],
    ['in layers of ten', (count: number) => layered(count, 10), slots],
    ['one after the other', (count: number) => layered(count, 1), 1],
  ])('%s runs each of them once, as many at a time as there is room', (_name, stepsOf, width) => {
    const grown = growth((count) => {
      const world = new World(workflow({ kind: 'graph', steps: stepsOf(count) }), unwatched);
      expect(play(world)).toEqual({ started: count, twice: 0, most: width });
      expect(world.state.status).toBe('SUCCEEDED');
    });
    expect(grown).toBeLessThan(linear);
  });

  it('runs a loop over very many items', () => {
    const grown = growth((count) => {
      const items = Array.from({ length: count }, (_none, index) => index);
      const text = `list : each=${JSON.stringify(items)} concurrency=${String(slots)}\n  one`;
      const world = new World(text, unwatched);
      expect(play(world)).toMatchObject({ started: count, twice: 0 });
      expect(world.state.status).toBe('SUCCEEDED');
    });
    expect(grown).toBeLessThan(linear);
  });

  it.each([
    ['once for a step that has some', { A: template('${{ parameters.a }}') }, 1],
    ['not at all for one that has none', { A: template('a') }, 0],
  ])('looks at what expressions see %s', (_name, env, times) => {
    const world = new World(workflow({ kind: 'graph', steps: [step('one', { env })] }), {
      ...unwatched,
      given: { parameters: { a: 'x' } },
    });
    let read = 0;
    const get = () => {
      read += 1;
      return { a: 'x' };
    };
    Object.defineProperty(world.state.given, 'parameters', { get });
    launchOf(world.state, world.rules, { path: 'one', iteration: 1, attempt: 1, check: 0 });
    expect(read).toBe(times);
  });

  it('is planned', () => {
    const estimate = () => ({ usd: null, tokens: null, price: null });
    const grown = growth((count) => {
      const rules = compile(workflow({ kind: 'graph', steps: layered(count, 10) }));
      const plan = planOf(rules, { estimate, budget: { usd: null, tokens: null }, slots });
      expect(plan.batches).toHaveLength(count / 10);
      expect(plan.contracts).toHaveLength(count);
      expect(plan.ceiling.processes).toBe(count);
    });
    expect(grown).toBeLessThan(linear);
  });

  it('fails in its first step, and leaves the rest, however deep they lie', () => {
    const deep = 20_000;
    const world = new World(workflow({ kind: 'graph', steps: layered(deep, 1) }), unwatched);
    world.fails('s0', { class: 'NON_RETRYABLE' });
    expect(world.state.status).toBe('FAILED');
    expect(world.status(`s${String(deep - 1)}`)).toBe('SKIPPED');
  });
});
