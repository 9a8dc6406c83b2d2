import * as z from 'zod';
import { ownValue, setOwn } from '../kernel/own.ts';

/*
 * Queries about a schema: which values a path can have, and which parts of an invalid value are
 * valid.
 */

type Schema = z.core.$ZodType;

type Definition = z.core.$ZodTypes['_zod']['def'];

export function definitionOf(schema: Schema): Definition {
  return (schema as z.ZodType).def as Definition;
}

/** The schemas inside wrappers: optional, default, lazy, transformed; of a union, every option. */
export function unwrapped(schema: Schema): Schema[] {
  const def = definitionOf(schema);
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
      return unwrapped(def.innerType);
    case 'pipe':
      return unwrapped(def.in);
    case 'lazy':
      return unwrapped(def.getter());
    case 'union':
      return def.options.flatMap(unwrapped);
    default:
      return [schema];
  }
}

function step(schema: Schema, key: PropertyKey): Schema[] {
  const def = definitionOf(schema);
  if (def.type === 'record') return [def.valueType];
  if (def.type === 'array') return [def.element];
  const next = def.type === 'object' ? ownValue(def.shape, String(key)) : undefined;
  return next === undefined ? [] : [next];
}

/** The keys of a mapping, and the schema of each. */
export function fieldsOf(schema: Schema): Readonly<Record<string, z.ZodType>> {
  const def = definitionOf(schema);
  return def.type === 'object' ? (def.shape as Record<string, z.ZodType>) : {};
}

/** Every schema that a path can have, with its wrapper, which carries the description. */
export function schemasAt(schema: Schema, path: readonly PropertyKey[]): Schema[] {
  let here: Schema[] = [schema];
  for (const key of path) here = here.flatMap(unwrapped).flatMap((each) => step(each, key));
  return here;
}

/**
 * The keys that a mapping at this path can have, and the mapping's title. Of several mappings those
 * count whose constants, such as a `kind`, this value has, if there are any.
 */
export function keysAt(
  schema: Schema,
  path: readonly PropertyKey[],
  value: unknown = null,
): { keys: string[]; title: string | null } {
  const keys = new Set<string>();
  let title: string | null = null;
  const mappings = schemasAt(schema, path)
    .flatMap(unwrapped)
    .filter((each) => definitionOf(each).type === 'object');
  const meant = mappings.filter((each) => hasConstants(each, value));
  for (const each of meant.length > 0 ? meant : mappings) {
    for (const key of Object.keys(fieldsOf(each))) keys.add(key);
    title ??= z.globalRegistry.get(each)?.title ?? null;
  }
  keys.delete('$schema');
  return { keys: [...keys], title };
}

function hasConstants(mapping: Schema, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(fieldsOf(mapping)).every(([key, field]) => {
    const isConstant = definitionOf(field).type === 'literal';
    return !isConstant || z.safeParse(field, ownValue(value as Record<string, unknown>, key)).success;
  });
}

/** Whether a value may stand at a path. */
export function accepts(schema: Schema, path: readonly PropertyKey[], value: unknown): boolean {
  return schemasAt(schema, path).some((each) => z.safeParse(each, value).success);
}

/** The schema's description of the value at a path. */
export function descriptionAt(schema: Schema, path: readonly PropertyKey[]): string | null {
  const described = schemasAt(schema, path).map((each) => z.globalRegistry.get(each)?.description);
  return described.find((description) => description !== undefined) ?? null;
}

/**
 * The valid parts of an invalid mapping: the valid keys and, of records, the valid entries. So the
 * rest of a file can be checked although a part of it is invalid.
 */
export function validParts(schema: z.ZodObject, value: object): Record<string, unknown> {
  const good: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(schema.shape)) {
    const given: unknown = ownValue(value as Record<string, unknown>, key);
    if (given === undefined) continue;
    const result = z.safeParse(inner, given);
    if (result.success) setOwn(good, key, result.data);
    else if (isRecord(inner) && typeof given === 'object' && given !== null)
      setOwn(good, key, entries(inner, given));
  }
  return good;
}

/** Whether it is a mapping with arbitrary names. */
export function isRecord(schema: Schema): boolean {
  return definitionOf(unwrapped(schema)[0]!).type === 'record';
}

function entries(schema: Schema, given: object): Record<string, unknown> {
  const good: Record<string, unknown> = {};
  for (const entry of Object.entries(given)) {
    const result = z.safeParse(schema, Object.fromEntries([entry]));
    if (result.success) Object.assign(good, result.data);
  }
  return good;
}
