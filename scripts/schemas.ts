/**
 * Writes what is made from the schemas of Mailroom's file formats: JSON Schemas into schemas/, for
 * editors; and what the MCP server of a turn says of itself. Tests fail when one is out of date.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { jsonSchemas } from '../src/project/definition/json-schemas.ts';
import { turnAnswers } from './turn-answers.ts';

const root = new URL('../', import.meta.url);

async function write(path: string, text: string): Promise<void> {
  const place = new URL(path, root);
  mkdirSync(new URL('.', place), { recursive: true });
  writeFileSync(place, await format(text, { ...(await resolveConfig(place)), parser: 'json' }));
}

for (const [name, schema] of jsonSchemas()) await write(`schemas/${name}`, JSON.stringify(schema));
await write('src/server/mcp/turn-answers.json', JSON.stringify(await turnAnswers()));
