/**
 * Writes what is made from the schemas of Mailroom's file formats: JSON Schemas into schemas/, for
 * editors, and the pages of keys into docs/keys/; and what the MCP server of a turn says of itself.
 * Tests fail when one is out of date.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { jsonSchemas } from '../src/project/definition/json-schemas.ts';
import { keyPages } from './keys.ts';
import { turnAnswers } from './turn-answers.ts';

const root = new URL('../', import.meta.url);

async function write(path: string, parser: 'json' | 'markdown', text: string): Promise<void> {
  const place = new URL(path, root);
  mkdirSync(new URL('.', place), { recursive: true });
  writeFileSync(place, await format(text, { ...(await resolveConfig(place)), parser }));
}

for (const [name, schema] of jsonSchemas()) await write(`schemas/${name}`, 'json', JSON.stringify(schema));
for (const [path, text] of keyPages(jsonSchemas())) await write(path, 'markdown', text);
await write('src/server/mcp/turn-answers.json', 'json', JSON.stringify(await turnAnswers()));
