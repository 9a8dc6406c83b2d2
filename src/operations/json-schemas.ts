import * as z from 'zod';
import { configFile } from '../config/schema.ts';
import { agentsFile } from '../config/profiles.ts';
import { protocolFile } from '../mail/protocol/schema.ts';
import { nativeFile } from '../languages/native/schema.ts';
import { orchestrateFile } from '../languages/orchestrate/schema.ts';
import { overridesFile } from '../languages/swdl/overrides-schema.ts';
import { swdlFile } from '../languages/swdl/schema.ts';

/**
 * The program's own schemas as JSON Schema 2020-12, for editors to complete and check its files.
 */
export function jsonSchemas(): ReadonlyMap<string, object> {
  return new Map<string, object>([
    ['protocol.schema.json', z.toJSONSchema(protocolFile, { io: 'input' })],
    ['workflow.schema.json', z.toJSONSchema(nativeFile, { io: 'input' })],
    ['orchestrate.schema.json', z.toJSONSchema(orchestrateFile, { io: 'input' })],
    ['swdl.schema.json', z.toJSONSchema(swdlFile, { io: 'input' })],
    ['swdl-overrides.schema.json', z.toJSONSchema(overridesFile(), { io: 'input' })],
    ['agents.schema.json', z.toJSONSchema(agentsFile, { io: 'input' })],
    ['mailroom.schema.json', z.toJSONSchema(configFile, { io: 'input' })],
  ]);
}
