import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Json } from '../../src/kernel/json.ts';
import { parseWorkflow } from '../../src/languages/parse.ts';
import { overridesFile } from '../../src/languages/swdl/overrides-schema.ts';
import { nowhere } from '../support/nowhere.ts';
import { parseYaml } from '../../src/yaml/yaml.ts';
import { shownTitles, swdlRows, swdlTables, titles, unused } from './swdl-tables.ts';
import { rowsOnPage } from './workflow-tables.ts';

const page = readFileSync(new URL('../../docs/languages/swdl.md', import.meta.url), 'utf8');
const example = /^## Example\n\n```yaml\n([^]+?)^```$/m.exec(page)?.[1] ?? '';

describe('docs/languages/swdl.md', () => {
  it.each(swdlTables)('has the keys of the schema: $heading', (table) => {
    expect(rowsOnPage(page, table.heading)).toEqual(swdlRows(table));
  });

  it('leaves out no map of the language', () => {
    expect(titles().size).toBeGreaterThan(15);
    expect([...titles()].filter((title) => !shownTitles().has(title))).toEqual([]);
  });

  it('has overrides that are right', () => {
    const [, shown = ''] = /^```yaml\n(overrides:[^]+?)^```$/m.exec(page) ?? [];
    expect(overridesFile().safeParse(parse(shown)).error).toBeUndefined();
  });

  it('has an example that uses every key, and is right but for files that are not there', () => {
    const yaml = parseYaml(example, 'ship.yaml');
    const value: Json = yaml.ok ? yaml.value.value : null;
    expect(unused(value)).toEqual([]);
    const result = parseWorkflow(example, 'ship.yaml', nowhere);
    expect(
      result.ok ? result.warnings.filter(({ code }) => code !== 'E_REFERENCE') : result.problems,
    ).toEqual([]);
  });
});
