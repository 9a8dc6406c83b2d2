import { expect, it } from 'vitest';
import { runRow } from '../../../src/workflow/runs/summary.ts';
import { World } from '../machine/world.ts';

/* What a person sees of the work before a gate. */

const text = `
  a
  b
  c <- a
  ship <- c b : gate=1h
`;

it('a gate shows the steps that it depends on, with the first lines of their results', () => {
  const world = new World(text);
  world.done('a', { output: 'not before it' });
  world.done('b', {
    output: `${Array.from({ length: 9 }, (_, line) => `line ${String(line)}`).join('\n')}\n`,
  });
  world.done('c', { output: 'x'.repeat(2_000) });
  expect(runRow(world.state, world.rules).shown.gates[0]?.before).toEqual([
    { step: 'c', standing: expect.objectContaining({ is: 'done' }) as unknown, result: 'x'.repeat(600) },
    {
      step: 'b',
      standing: expect.objectContaining({ word: 'succeeded' }) as unknown,
      result: 'line 0\nline 1\nline 2\nline 3\nline 4\nline 5',
    },
  ]);
});
