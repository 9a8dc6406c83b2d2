import { describe, expect, it } from 'vitest';
import type { Step } from '../../src/core/workflow/model.ts';
import { planOf } from '../../src/core/workflow/plan.ts';
import { step, workflow } from './graph.ts';
import { World } from './world.ts';

/** Far more steps than anybody writes: what takes time for all steps at each of them does not come to an end here. */
const many = 20_000;
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

describe('a workflow of very many steps', () => {
  it.each([
    ['flat', many, many],
    ['in layers of ten', many, 10],
    ['one after the other', many / 4, 1],
  ])('%s runs each of them once, as many at a time as there is room', (_name, count, width) => {
    const definition = workflow({ kind: 'graph', steps: layered(count, width) });
    const world = new World(definition, { slots, watched: false });
    expect(play(world)).toEqual({ started: count, twice: 0, most: Math.min(width, slots) });
    expect(world.state.status).toBe('SUCCEEDED');
  });

  it('runs a loop over very many items', () => {
    const items = Array.from({ length: many / 8 }, (_none, index) => index);
    const world = new World(`list : each=${JSON.stringify(items)} concurrency=${String(slots)}\n  one`, {
      slots,
      watched: false,
    });
    expect(play(world)).toMatchObject({ started: items.length, twice: 0 });
    expect(world.state.status).toBe('SUCCEEDED');
  });

  it('is planned', () => {
    const world = new World(workflow({ kind: 'graph', steps: layered(many, 10) }), { slots, watched: false });
    const estimate = () => ({ usd: null, tokens: null, price: null });
    const plan = planOf(world.rules, { estimate, budget: { usd: null, tokens: null }, slots });
    expect(plan.batches).toHaveLength(many / 10);
    expect(plan.contracts).toHaveLength(many);
    expect(plan.ceiling.processes).toBe(many);
  });

  it('fails in its first step, and leaves the rest', () => {
    const world = new World(workflow({ kind: 'graph', steps: layered(many, 1) }), { slots, watched: false });
    world.fails('s0', { class: 'NON_RETRYABLE' });
    expect(world.state.status).toBe('FAILED');
    expect(world.status(`s${String(many - 1)}`)).toBe('SKIPPED');
  });
});
