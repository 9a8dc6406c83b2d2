import fc, { runs } from '../support/fast-check.ts';
import { expect } from 'vitest';
import type { Checked } from '../../src/kernel/diagnostic.ts';

/** By the numbers of steps. */
export type Edge = readonly [from: number, to: number];

const most = 7;

const graphs: fc.Arbitrary<readonly Edge[]> = fc.uniqueArray(fc.tuple(fc.nat(most), fc.nat(most)), {
  maxLength: 14,
  selector: String,
});

/** Steps without a need are taken away until none is left: what remains waits for itself. */
function hasCircle(edges: readonly Edge[]): boolean {
  for (let left = edges; ;) {
    const waits = new Set(left.map(([, to]) => to));
    const next = left.filter(([from]) => waits.has(from));
    if (next.length === left.length) return left.length > 0;
    left = next;
  }
}

export const steps = Array.from({ length: most + 1 }, (_none, index) => index);

/** A language refuses the workflow with these edges exactly where they have a circle. */
export function expectCirclesRefused(read: (edges: readonly Edge[]) => Checked<unknown>): void {
  fc.assert(
    fc.property(graphs, (edges) => {
      const checked = read(edges);
      const messages = checked.ok ? [] : checked.problems.map(({ message }) => message);
      const told = messages.some((each) => /wait for each other|depends on itself/.test(each));
      expect(told).toBe(hasCircle(edges));
    }),
    { numRuns: runs(250) },
  );
}
