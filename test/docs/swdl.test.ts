import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { keysAt } from '../../src/spec/shape.ts';
import { stageStatuses } from '../../src/spec/workflow/swdl/language.ts';
import { stageSchema, swdlFile } from '../../src/spec/workflow/swdl/schema.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const page = read('docs/swdl.md');
/** Where the language is played, read, or refused. */
const played = [
  ...['scenario/swdl', 'scenario/swdl-stages', 'spec/workflow/swdl'].map((name) => `test/${name}.test.ts`),
  ...['quick-review', 'ship-feature'].map((name) => `test/fixtures/swdl/${name}.yaml`),
  ...['keys', 'references', 'shapes'].map((name) => `test/golden/workflow-swdl-${name}.yaml`),
]
  .map(read)
  .join('\n');

const rows = [...page.matchAll(/^\| (.+?) +\| (.+?) +\|$/gm)]
  .map(([, construct = '', meaning = '']) => [construct, meaning] as const)
  .filter(([construct]) => !['construct', 'reference'].includes(construct) && !construct.startsWith('-'));

/** The words in backquotes of a text, without what is said about them. */
function wordsIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) => code.match(/[a-z_]{3,}/gi) ?? []);
}

describe('docs/swdl.md', () => {
  it('has every key of the language', () => {
    const table = rows.flat().join(' ');
    const keys = [
      ...keysAt(swdlFile, []).keys,
      ...['workflow', 'config', 'context', 'error_policy', 'hooks'].flatMap(
        (key) => keysAt(swdlFile, [key]).keys,
      ),
      ...keysAt(stageSchema, []).keys,
      ...['roles', 'gate', 'handoff', 'fan_out'].flatMap((key) => keysAt(stageSchema, [key]).keys),
    ];
    // Names, what is told to people, and maps whose keys have rows of their own.
    const plain = [
      '$schema',
      'id',
      'name',
      'description',
      'workflow',
      'config',
      'stages',
      'hooks',
      'roles',
      'modules',
    ];
    const others = [
      'parameters',
      'kind',
      'message',
      'stage_template',
      'on_start',
      'on_complete',
      'on_failure',
      'retry',
    ];
    const missing = keys.filter((key) => ![...plain, ...others].includes(key) && !table.includes(key));
    expect(keys.length).toBeGreaterThan(45);
    expect(
      missing.filter((key) => !['default_retry', 'fan_out', 'tools', 'context', 'agent'].includes(key)),
    ).toEqual([]);
  });

  it('tells of nothing that no test plays', () => {
    const unplayed = rows
      .flatMap(([construct]) => wordsIn(construct))
      .filter((word) => !played.includes(word));
    expect(rows.length).toBeGreaterThan(30);
    expect(unplayed).toEqual([]);
  });

  it('names how a stage ends', () => {
    const ends = stageStatuses.filter((status) => status !== 'pending' && status !== 'running');
    for (const status of ends) expect(page).toContain(status);
  });
});
