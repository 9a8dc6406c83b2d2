import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { namespaces } from '../../src/core/workflow/language.ts';
import { stepProperties } from '../../src/core/workflow/check/meaning.ts';
import { parseWorkflow } from '../../src/spec/workflow/index.ts';
import { keysOfKinds, kinds } from '../../src/spec/workflow/native/kinds.ts';
import { nowhere } from '../../src/spec/workflow/surroundings.ts';
import { rowsOf, rowsOnPage, tables } from './workflow-tables.ts';

const page = readFileSync(new URL('../../docs/workflow-reference.md', import.meta.url), 'utf8');

describe('docs/workflow-reference.md', () => {
  it.each(tables)('has the keys of the schema: $heading', (table) => {
    expect(rowsOnPage(page, table.heading)).toEqual(rowsOf(table));
  });

  it('says which keys fit to which kind of step', () => {
    const rows = rowsOnPage(page, 'Kinds of steps');
    expect(rows.map(([kind]) => kind)).toEqual(kinds.map((kind) => `\`${kind}\``));
    for (const [index, kind] of kinds.entries()) {
      const named = [...(rows[index]?.[2] ?? '').matchAll(/`(\w+)`/g)].map(([, key]) => key ?? '');
      const common = ['description', 'depends_on', 'join', 'when', 'next'];
      expect(named.toSorted()).toEqual(keysOfKinds[kind].filter((key) => !common.includes(key)).toSorted());
    }
  });

  it('names what expressions may read', () => {
    for (const name of [...namespaces, 'item', 'loop', ...stepProperties])
      expect(page).toContain(`\`${name}\``);
  });

  it('shows workflows that can be read', () => {
    const examples = [...page.matchAll(/^```yaml\n([^]+?)^```$/gm)].map(([, text]) => text ?? '');
    expect(examples.length).toBeGreaterThan(1);
    for (const text of examples)
      expect(parseWorkflow(text, 'example.yaml', nowhere)).toMatchObject({ ok: true, warnings: [] });
  });
});
