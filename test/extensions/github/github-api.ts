import * as z from 'zod';
import description from '../../fixtures/github-api.json' with { type: 'json' };

type Schema = Record<string, unknown>;
export type Value = Record<string, unknown>;

/** A request that GitHub's published description knows. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, Schema>>;
  readonly body: Schema | null;
  readonly responses: Readonly<Record<string, Schema | null>>;
}

export const operations = description.operations as unknown as readonly Operation[];
const definitions = description.$defs as unknown as Readonly<Record<string, Schema>>;

/** What the description defines by this name. */
export function ref(name: string): Schema {
  return { $ref: `#/$defs/${name}` };
}

const compiled = new Map<Schema, z.ZodType>();

/** Whether the description allows this value there. */
export function fits(schema: Schema, value: unknown): boolean {
  const known = compiled.get(schema);
  const read = known ?? z.fromJSONSchema({ ...schema, $defs: definitions });
  compiled.set(schema, read);
  return read.safeParse(value).success;
}

/** What paths of requests look like for a path with `{names}`. */
export function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

/** The least value that a schema describes: what a test does not care about. */
export function example(schema: Schema): Value {
  return leastOf(schema) as Value;
}

function leastOf(schema: Schema): unknown {
  if (typeof schema['$ref'] === 'string')
    return leastOf(definitions[schema['$ref'].split('/').at(-1) ?? ''] ?? {});
  if (Array.isArray(schema['enum'])) return schema['enum'][0] as unknown;
  for (const key of ['anyOf', 'oneOf'] as const) {
    const all = schema[key] as readonly Schema[] | undefined;
    if (all?.some((each) => each['type'] === 'null') === true) return null;
    if (all?.[0] !== undefined) return leastOf(all[0]);
  }
  if (Array.isArray(schema['allOf']))
    return Object.assign({}, ...(schema['allOf'] as Schema[]).map((each) => leastOf(each))) as unknown;
  switch (schema['type']) {
    case 'string':
      return textOf(schema['format']);
    case 'integer':
    case 'number':
      return schema['minimum'] ?? 0;
    case 'boolean':
      return false;
    case 'array':
      return [];
    case 'object':
      return objectOf(schema);
    default:
      return schema['properties'] === undefined ? null : objectOf(schema);
  }
}

function objectOf({ required = [], properties = {} }: Schema): Value {
  const known = properties as Readonly<Record<string, Schema>>;
  return Object.fromEntries((required as string[]).map((name) => [name, leastOf(known[name] ?? {})]));
}

function textOf(format: unknown): string {
  if (format === 'uri') return 'https://example.com/';
  return format === 'date-time' ? '2026-01-01T00:00:00Z' : '';
}
