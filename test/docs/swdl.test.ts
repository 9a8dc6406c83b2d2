import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { keysAt } from '../../src/yaml/shape.ts';
import { stageStatuses } from '../../src/languages/swdl/language.ts';
import { stageSchema, swdlFile } from '../../src/languages/swdl/schema.ts';
import { World } from '../workflow/machine/world.ts';
import { constructsBelow } from './held.ts';
import { differences } from './swdl-differences.ts';
import { stage, swdl } from './swdl-plays.ts';
import { references, rows } from './swdl-rows.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const page = read('docs/languages/swdl.md');
const constructs = constructsBelow(page, 'What happens here');

describe('docs/languages/swdl.md', () => {
  it('has every key of the language', () => {
    const table = page.split(/^## /m).find((part) => part.startsWith('What happens here\n')) ?? '';
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

  it('reports what is played, and nothing else', () => {
    expect(constructsBelow(page, 'What a name leads to')).toEqual(Object.keys(references));
    expect(constructs).toEqual(Object.keys(rows));
    expect(constructsBelow(page, 'Where Mailroom differs')).toEqual(Object.keys(differences));
  });

  it('asks only if it is risky, as its example says', () => {
    const example = /^## Ask only if it is risky\n[^]*?```yaml\n([^]*?)```/m.exec(page)?.[1] ?? '';
    const build = stage('build', { outputs: { risky: { type: 'boolean' } } });
    const role = { 'agents/deployer/role.md': 'You deploy.' };
    const workflow = swdl([build, ...(parse(example) as object[])], {}, role);
    const [safe, risky] = [new World(workflow), new World(workflow)];
    safe.done('build', { values: { risky: false } });
    expect(safe.running).toEqual(['deploy']);
    risky.done('build', { values: { risky: true } });
    expect(risky.running).toEqual([]);
    risky.judge('approval', 'approve');
    expect(risky.running).toEqual(['deploy']);
  });

  it('offers choices and asks for fields, as its example says', () => {
    const example = /^## More than yes or no\n[^]*?```yaml\n([^]*?)```/m.exec(page)?.[1] ?? '';
    const role = { 'agents/builder/role.md': 'You build.' };
    const place = new World(swdl(parse(example) as object[], {}, role));
    place.judge('review', 'changes', place.now, { comment: 'more tests', fields: { risk: 'low' } });
    expect(place.running).toEqual(['fix']);
    expect(place.launch('fix').work).toMatchObject({ instructions: 'You build.\n\nmore tests' });
  });

  it.each(Object.entries(references))('is right about %s', (_reference, play) =>
    expect(play()).toBeUndefined(),
  );

  it.each(Object.entries(differences))('differs from the specification: %s', (_what, play) =>
    expect(play()).toBeUndefined(),
  );

  it.each(Object.entries(rows))('is right about %s', (_construct, play) => expect(play()).toBeUndefined());

  it('names how a stage ends', () => {
    const ends = stageStatuses.filter((status) => status !== 'pending' && status !== 'running');
    for (const status of ends) expect(page).toContain(status);
  });
});
