import { it } from 'vitest';
import { parseWorkflow } from '../../src/languages/parse.ts';
import { nowhere } from '../support/nowhere.ts';
import { expectCirclesRefused, steps, type Edge } from './circles.ts';

function textOf(edges: readonly Edge[]): string {
  const needs = (step: number) => edges.filter(([, to]) => to === step).map(([from]) => `s${String(from)}`);
  const line = (step: number) => `  s${String(step)}: { command: [x], depends_on: [${needs(step).join()}] }`;
  return `name: sample\nversion: "1"\ntimeout: 1m\nsteps:\n${steps.map(line).join('\n')}\n`;
}

it('a workflow is refused for a circle exactly where there is one', () => {
  expectCirclesRefused((edges) => parseWorkflow(textOf(edges), 'workflow.yaml', nowhere));
});
