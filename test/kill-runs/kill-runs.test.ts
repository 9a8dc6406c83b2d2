import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Kill } from './order.ts';
import { play } from './play.ts';
import { buildProgram } from './program.ts';

let built: Awaited<ReturnType<typeof buildProgram>>;
beforeAll(async () => {
  built = await buildProgram();
}, 60_000);
afterAll(() => built.remove());

/** A sample of `npm run kill-matrix:runs`. */
const sample: readonly (readonly [string, Kill])[] = [
  ['artifacts', { name: 'journal.append', nth: 3, moment: 'after' }],
  ['artifacts', { name: 'artifact.place', nth: 1, moment: 'before' }],
  ['artifacts', { name: 'step.spawn', nth: 2, moment: 'after' }],
];

describe('the host of a run that is killed', () => {
  it.each(sample)('in %s, %j, is gone on with', { timeout: 60_000 }, async (kind, kill) => {
    const { killed, problems } = await play(built.program, kind, kill);
    expect(killed).toBe(true);
    expect(problems).toEqual([]);
  });
});
