import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { RunPictures } from '../../src/engine/runs/pictures.ts';
import { graph, workflow } from '../workflow/graph.ts';
import { World } from '../workflow/world.ts';

it('keeps what the check of each iteration found, also of several that become durable at once', () => {
  const definition = workflow(graph('a : check=9 stall=1'));
  const world = new World(definition);
  const written: [string, number, JsonObject][] = [];
  const nothing = () => {};
  const files = {
    meta: nothing,
    summary: nothing,
    export: () => true,
    convergence: (path: string, iteration: number, document: JsonObject) =>
      void written.push([path, iteration, document]),
  };
  const pictures = new RunPictures({ clock: { now: () => world.now }, files }, world.rules);
  for (const reason of ['no tests', 'one fails']) {
    world.done('a');
    world.incomplete('a', [reason]);
  }
  pictures.draw(world.state, world.history);
  // Each standstill raises the stage, and at the third nothing is left to be tried.
  expect(written.slice(0, 1)).toEqual([
    ['a', 1, { iteration: 1, stage: 2, stalled: 0, reasons: ['no tests'], fingerprints: [] }],
  ]);
  expect(written.slice(1)).toMatchObject([
    ['a', 2, { iteration: 2, stage: 3, reasons: [expect.stringContaining('one fails')] }],
  ]);
});
