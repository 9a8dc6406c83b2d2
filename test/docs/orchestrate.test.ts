import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { condition, orchestrateFile, step } from '../../src/languages/orchestrate/schema.ts';
import { specialTargets } from '../../src/languages/orchestrate/vocabulary.ts';
import { keysAt } from '../../src/yaml/shape.ts';
import { constructsBelow } from './held.ts';
import { rows } from './orchestrate-rows.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const page = read('docs/languages/orchestrate.md');
const constructs = constructsBelow(page, 'What happens here');

describe('docs/languages/orchestrate.md', () => {
  it('has every key of the language', () => {
    const table = page.split(/^## /m).find((part) => part.startsWith('What happens here\n')) ?? '';
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

  it('reports what is played, and nothing else', () => {
    expect(constructs).toEqual(Object.keys(rows));
  });

  it.each(Object.entries(rows))('is right about %s', (_construct, play) => expect(play()).toBeUndefined());
});
