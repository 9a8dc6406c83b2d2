/**
 * Writes the JSON Schemas of Mailroom's file formats into schemas/, for editors. A test fails when
 * they are out of date.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { jsonSchemas } from '../src/operations/json-schemas.ts';

const folder = new URL('../schemas/', import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, schema] of jsonSchemas()) {
  const options = { ...(await resolveConfig(folder)), parser: 'json' };
  writeFileSync(new URL(name, folder), await format(JSON.stringify(schema), options));
}
