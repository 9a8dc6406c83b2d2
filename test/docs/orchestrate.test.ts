import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { condition, orchestrateFile, step } from '../../src/spec/workflow/orchestrate/schema.ts';
import { specialTargets } from '../../src/spec/workflow/orchestrate/targets.ts';
import { keysAt } from '../../src/spec/shape.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const page = read('docs/orchestrate.md');
const scenarios = ['scenario/orchestrate', 'scenario/orchestrate-flow', 'spec/workflow/orchestrate']
  .map((name) => read(`test/${name}.test.ts`))
  .join('');

/** The rows of the table, by the construct. */
const rows = new Map(
  [...page.matchAll(/^\| (.+?) +\| (.+?) +\|$/gm)]
    .filter(([, construct]) => construct !== 'construct' && !construct?.startsWith('-'))
    .map(([, construct = '', meaning = '']) => [construct, meaning]),
);

describe('docs/orchestrate.md', () => {
  it('has every key of the language', () => {
    const table = [...rows].flat().join(' ');
    const keys = [orchestrateFile, step, condition].flatMap((schema) => keysAt(schema, []).keys);
    // What they are needs no row: the name of a thing, and how conditions are put together.
    const plain = ['version', 'name', 'context', 'steps', 'model', 'max_tokens', 'all', 'any', 'not'];
    const missing = keys.filter((key) => !plain.includes(key) && !table.includes(key));
    expect(keys.length).toBeGreaterThan(30);
    expect(missing).toEqual([]);
  });

  it('has every special target', () => {
    const missing = specialTargets.filter((target) => !page.includes(target));
    expect(missing).toEqual([]);
  });

  it('tells of nothing that no scenario plays', () => {
    const keys = [...rows.keys()].flatMap((construct) =>
      [...construct.matchAll(/`(\w+)`/g)].map(([, key]) => key ?? ''),
    );
    const golden = ['keys', 'paths']
      .map((name) => read(`test/golden/workflow-orchestrate-${name}.yaml`))
      .join('');
    const unplayed = keys.filter((key) => !scenarios.includes(key) && !golden.includes(key));
    expect(keys.length).toBeGreaterThan(15);
    expect(unplayed).toEqual([]);
  });
});
