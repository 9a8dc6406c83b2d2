import fc, { runs } from '../support/fast-check.ts';
import { expect, it } from 'vitest';
import { parseWorkflow } from '../../src/languages/parse.ts';
import { nipContext } from './machine/nip.ts';

type Edge = readonly [from: number, to: number];

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

const steps = Array.from({ length: most + 1 }, (_none, index) => index);

const texts: Readonly<Record<string, (edges: readonly Edge[]) => string>> = {
  'definition.json': (edges) =>
    JSON.stringify({
      kind: 30_920,
      tags: [
        ['d', 'sample'],
        ['name', 'Sample'],
        ...steps.map((step) => ['step', `s${String(step)}`, '5200', `output:o${String(step)}`]),
        ...edges.map(([from, to]) => ['edge', `s${String(from)}`, `s${String(to)}`, 'always']),
      ],
      content: '',
    }),
  'workflow.yaml': (edges) => {
    const needs = (step: number) => edges.filter(([, to]) => to === step).map(([from]) => `s${String(from)}`);
    const line = (step: number) =>
      `  s${String(step)}: { command: [x], depends_on: [${needs(step).join()}] }`;
    return `name: sample\nversion: "1"\ntimeout: 1m\nsteps:\n${steps.map(line).join('\n')}\n`;
  },
};

it.each(Object.keys(texts))('refuses %s for a circle exactly where there is one', (file) => {
  const context = nipContext();
  fc.assert(
    fc.property(graphs, (edges) => {
      const read = parseWorkflow(texts[file]!(edges), file, context);
      const messages = read.ok ? [] : read.problems.map(({ message }) => message);
      const told = messages.some((each) => /wait for each other|depends on itself/.test(each));
      expect(told).toBe(hasCircle(edges));
    }),
    { numRuns: runs(250) },
  );
});
