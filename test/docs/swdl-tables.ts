import { z } from 'zod';
import { isJsonObject, type Json } from '../../src/kernel/json.ts';
import { swdlFile } from '../../src/languages/swdl/schema.ts';
import { schemaAt, type Schema, type Table } from './workflow-tables.ts';

const root = z.toJSONSchema(swdlFile, { io: 'input' }) as Schema;
const stage = ['stages', '*'];
const template = [...stage, 'fan_out', 'stage_template'];

/** The tables of the page, in its order. */
export const swdlTables: readonly Table[] = [
  { heading: 'The file', path: [] },
  { heading: 'workflow', path: ['workflow'] },
  { heading: 'config', path: ['config'] },
  { heading: 'config.parameters', path: ['config', 'parameters', '*'] },
  { heading: 'context', path: ['context'] },
  { heading: 'memory', path: ['context', 'memory'] },
  { heading: 'stages', path: stage },
  { heading: 'roles', path: [...stage, 'roles'] },
  { heading: 'roles.primary', path: [...stage, 'roles', 'primary'] },
  { heading: 'inputs', path: [...stage, 'inputs', '*'] },
  { heading: 'outputs', path: [...stage, 'outputs', '*'] },
  { heading: 'context of a stage', path: [...stage, 'context'] },
  { heading: 'error_policy of a stage', path: [...stage, 'error_policy'] },
  { heading: 'retry', path: [...stage, 'error_policy', 'retry'] },
  { heading: 'handoff', path: [...stage, 'handoff'] },
  { heading: 'gate', path: [...stage, 'gate'] },
  { heading: 'gate.fields', path: [...stage, 'gate', 'fields', '*'] },
  { heading: 'fan_out', path: [...stage, 'fan_out'] },
  { heading: 'stage_template', path: template },
  { heading: 'error_policy of a stage_template', path: [...template, 'error_policy'] },
  { heading: 'error_policy of the workflow', path: ['error_policy'] },
  { heading: 'hooks', path: ['hooks'] },
  { heading: 'A hook', path: ['hooks', 'on_start'] },
];

/** The rows of a table as the schema has them: key, what stands there, whether it must be there, what it means. */
export function swdlRows(table: Table): string[][] {
  const { properties = {}, required = [] } = schemaAt(root, table);
  return Object.entries(properties).map(([key, schema]) => [
    `\`${key}\``,
    kindOf(schema),
    required.includes(key) ? 'yes' : '',
    (schema.description ?? '').replaceAll('<', '\\<'),
  ]);
}

function kindOf({
  type,
  enum: words,
  const: only,
  pattern = '',
  items,
  additionalProperties: each,
}: Schema): string {
  if (only !== undefined) return only;
  if (words !== undefined) return words.join(', ');
  if (items !== undefined) return `list of ${kindOf(items)}s`;
  if (type === 'object') return typeof each === 'object' ? 'map by name' : 'map';
  if (pattern.includes('ms)')) return 'duration';
  if (pattern.startsWith('^(?:array|')) return 'type';
  if (/^\^\(\?:[a-z|]+\):/.test(pattern)) return 'reference';
  return typeof type === 'string' ? type : (type?.join(' or ') ?? 'any value');
}

/** Titles of all maps of the language. */
export function titles(schema: Schema = root): ReadonlySet<string> {
  const parts = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties];
  const inner = parts.flatMap((part) => (typeof part === 'object' ? [...titles(part)] : []));
  return new Set([...(schema.title === undefined ? [] : [schema.title]), ...inner]);
}

/** Titles of the maps that the tables show. */
export const shownTitles = (): ReadonlySet<string> =>
  new Set(swdlTables.flatMap((table) => schemaAt(root, table).title ?? []));

/** Keys of the schema that a file does not use: `gate.approvers`. */
export function unused(file: Json): string[] {
  return swdlTables.flatMap(({ heading, path }) => {
    const found = valuesAt(file, path);
    const keys = Object.keys(schemaAt(root, { heading, path }).properties ?? {});
    return keys
      .filter((key) => !found.some((value) => isJsonObject(value) && key in value))
      .map((key) => `${heading}: ${key}`);
  });
}

function valuesAt(value: Json | undefined, [key, ...rest]: readonly string[]): Json[] {
  if (value === undefined) return [];
  if (key === undefined) return [value];
  if (key === '*') return Object.values(value as object).flatMap((each: Json) => valuesAt(each, rest));
  return isJsonObject(value) ? valuesAt(value[key], rest) : [];
}
