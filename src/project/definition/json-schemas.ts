import * as z from 'zod';
import { configFile } from '../../config/schema.ts';
import { agentsFile } from '../../config/profiles.ts';
import { protocolFile } from '../../mail/protocol/schema.ts';
import { languages } from '../../languages/languages.ts';
import { overridesFile } from '../../languages/swdl/overrides-schema.ts';

/**
 * Where the schemas identify themselves. The domain is reserved, so that no stranger can serve
 * schemas under these names.
 */
const base = 'https://mailroom.example/schemas/';

/**
 * The program's own schemas as JSON Schema 2020-12, for editors to complete and check its files, by
 * file name. The `$id` of each ends in that name.
 */
export function jsonSchemas(): ReadonlyMap<string, object> {
  const files = {
    'protocol.schema.json': protocolFile,
    ...Object.fromEntries(
      languages.flatMap(({ schema, schemaFile }) =>
        schemaFile === undefined ? [] : [[schemaFile, schema] as const],
      ),
    ),
    'swdl-overrides.schema.json': overridesFile(),
    'agents.schema.json': agentsFile,
    'mailroom.schema.json': configFile,
  };
  return new Map(
    Object.entries(files).map(([name, file]) => [
      name,
      { $id: `${base}${name}`, ...z.toJSONSchema(file, { io: 'input' }) },
    ]),
  );
}
