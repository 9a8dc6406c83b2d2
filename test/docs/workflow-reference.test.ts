import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { namespaces } from '../../src/workflow/machine/language.ts';
import { nativeVocabulary } from '../../src/languages/native/vocabulary.ts';
import { parseWorkflow } from '../../src/languages/parse.ts';
import { keysOfKinds, kinds } from '../../src/languages/native/kinds.ts';
import { nowhere } from '../support/nowhere.ts';
import { rowsOf, rowsOnPage, tables } from './workflow-tables.ts';

const page = readFileSync(new URL('../../docs/workflow-reference.md', import.meta.url), 'utf8');

describe('docs/workflow-reference.md', () => {
  it.each(tables)('has the keys of the schema: $heading', (table) => {
    expect(rowsOnPage(page, table.heading)).toEqual(rowsOf(table));
  });

  it('says which keys fit to which kind of step', () => {
    const rows = rowsOnPage(page, 'Kinds of steps');
    expect(rows.map(([kind]) => kind)).toEqual(kinds.map((kind) => `\`${kind}\``));
    const inText = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(([, key]) => key ?? '');
    const groups = new Map(
      [...page.matchAll(/^- _(\w+)_: ([^]*?)(?=\n(?:- |\n))/gm)].map(([, name, keys]) => [
        name,
        inText(keys ?? ''),
      ]),
    );
    for (const [index, kind] of kinds.entries()) {
      const cell = rows[index]?.[2] ?? '';
      const named = [
        ...inText(cell),
        ...[...cell.matchAll(/_(agent|process|result|failure|check)_/g)].flatMap(
          ([, name]) => groups.get(name) ?? [],
        ),
      ];
      const common = ['description', 'depends_on', 'join', 'when', 'next', 'ui'];
      expect(named.toSorted()).toEqual(keysOfKinds[kind].filter((key) => !common.includes(key)).toSorted());
    }
  });

  it('names what expressions may read', () => {
    for (const name of [...namespaces, 'item', 'loop', ...Object.keys(nativeVocabulary.properties)])
      expect(page).toContain(`\`${name}\``);
  });

  it('names the values that keys allow', () => {
    const schema = readFileSync(new URL('../../schemas/workflow.schema.json', import.meta.url), 'utf8');
    const rows = new Map(rowsOnPage(page, 'Allowed values').map(([key = '', values = '']) => [key, values]));
    const keys = [
      'on_failure',
      'on_retries_exhausted',
      'on_iterations_exhausted',
      'on_stall',
      'join',
      'capabilities',
    ];
    for (const [row, values] of [
      ...keys.map((key) => [`\`${key}\``, enumOf(schema, key)] as const),
      ['`on_timeout` of a gate', enumOf(schema, 'on_timeout')] as const,
      ['`type` of a value or parameter', enumOf(schema, 'type')] as const,
    ]) {
      expect(values.length).toBeGreaterThan(1);
      for (const value of values) expect(rows.get(row)).toContain(`\`${value}\``);
    }
  });

  it('names what a process finds in its environment', () => {
    const code = readFileSync(new URL('../../src/workflow/host/command-line.ts', import.meta.url), 'utf8');
    const names = code.match(/MAILROOM_\w+(?=:)/g) ?? [];
    expect(names.length).toBeGreaterThan(7);
    for (const name of names) expect(page).toContain(`\`${name}\``);
  });

  it('shows workflows that can be read', () => {
    const examples = [...page.matchAll(/^```yaml\n([^]+?)^```$/gm)].map(([, text]) => text ?? '');
    expect(examples.length).toBeGreaterThan(1);
    for (const text of examples)
      expect(parseWorkflow(text, 'example.yaml', nowhere)).toMatchObject({ ok: true, warnings: [] });
  });
});

/** All values that a schema allows under a key, wherever that stands. */
function enumOf(schema: string, key: string): string[] {
  const found = new Set<string>();
  JSON.parse(schema, (name: string, value: unknown) => {
    if (name !== key) return value;
    const text = JSON.stringify(value);
    for (const [, list = ''] of text.matchAll(/"enum":\[([^\]]*)\]/g))
      for (const [, word = ''] of list.matchAll(/"([^"]*)"/g)) found.add(word);
    for (const [, word = ''] of text.matchAll(/"const":"([^"]*)"/g)) found.add(word);
    return value;
  });
  return [...found];
}
