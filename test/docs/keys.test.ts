import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { jsonSchemas } from '../../src/project/definition/json-schemas.ts';

/** Where the keys of each kind of file are described, below docs/. */
const pages: Readonly<Record<string, readonly string[]>> = {
  'protocol.schema.json': ['protocol', 'languages/nip'],
  'mailroom.schema.json': [
    'protocol',
    'providers',
    'channels',
    'workers',
    'languages/nip',
    'workflow-triggers',
  ],
  'agents.schema.json': ['protocol'],
  'workflow.schema.json': ['workflow-reference', 'workflow-triggers'],
  'orchestrate.schema.json': ['languages/orchestrate'],
  'swdl.schema.json': ['languages/swdl'],
  'swdl-overrides.schema.json': ['languages/swdl'],
};

/** The words that a page has in code. */
function wordsInCode(name: string): string[] {
  const page = readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8');
  const code = page.match(/```[^]*?```|`[^`\n]*`/g) ?? [];
  return code.flatMap((text) => text.match(/[\w$-]+/g) ?? []);
}

test.each([...jsonSchemas()])('each key of %s is on a page', (name, schema) => {
  const known = new Set(['$schema', ...(pages[name] ?? []).flatMap(wordsInCode)]);
  const keys = new Set<string>();
  JSON.parse(JSON.stringify(schema), (key: string, value: unknown) => {
    if (key === 'properties') for (const each of Object.keys(value ?? {})) keys.add(each);
    return value;
  });
  expect(keys.size).toBeGreaterThan(2);
  expect([...keys].filter((key) => !known.has(key))).toEqual([]);
});
