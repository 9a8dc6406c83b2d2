import { it } from 'vitest';
import { parseWorkflow } from '../../../../src/languages/parse.ts';
import { expectCirclesRefused, steps, type Edge } from '../../../languages/circles.ts';
import { nipContext, nipLanguages } from './nip.ts';

function textOf(edges: readonly Edge[]): string {
  const tags = [
    ['d', 'sample'],
    ['name', 'Sample'],
    ...steps.map((step) => ['step', `s${String(step)}`, '5200', `output:o${String(step)}`]),
    ...edges.map(([from, to]) => ['edge', `s${String(from)}`, `s${String(to)}`, 'always']),
  ];
  return JSON.stringify({ kind: 30_920, tags, content: '' });
}

it('a definition is refused for a circle exactly where there is one', () => {
  const context = nipContext();
  expectCirclesRefused((edges) => parseWorkflow(textOf(edges), 'definition.json', context, nipLanguages));
});
