import * as z from 'zod';
import { isJsonObject, type Json, type JsonObject } from '../kernel/json.ts';
import { nearest } from '../kernel/nearest.ts';
import { ownValue, setOwn } from '../kernel/own.ts';
import { definitionOf, isRecord, unwrapped } from './shape.ts';
import type { Path, YamlDocument } from './yaml.ts';

/*
 * The valid part of an invalid value, so that one error does not hide others: a misspelt key or
 * word is read as the one that was meant, and the smallest invalid part is dropped.
 */

export interface Repaired {
  readonly value: JsonObject;
  /** The keys in the author's spelling, by the path to each key as it was read. */
  readonly renamed: ReadonlyMap<string, string>;
  /** The paths of dropped parts, unknown keys included. */
  readonly lost: readonly Path[];
}

/** A path as a string, for sets and maps. */
export function pathText(path: Path): string {
  return JSON.stringify(path);
}

/**
 * The mapping that the schema wants, as far as the value allows. Required keys may be missing in
 * it.
 */
export function repair(schema: z.ZodObject, value: JsonObject): Repaired {
  const repairer = new Repairer();
  return { value: repairer.map(schema, value, []), renamed: repairer.renamed, lost: repairer.lost };
}

/** A document with its keys renamed as in the repair; places refer to the original text. */
export function underKnownKeys(document: YamlDocument, { renamed, value }: Repaired): YamlDocument {
  const written = (path: Path): Path =>
    path.map((key, index) => renamed.get(pathText(path.slice(0, index + 1))) ?? key);
  return {
    value,
    place: (path, part) => document.place(written(path), part),
    placeWithin: (path, start, end) => document.placeWithin(written(path), start, end),
    sourceOf: (path) => document.sourceOf(written(path)),
    isPlain: (path) => document.isPlain(written(path)),
  };
}

type Schema = z.core.$ZodType;

class Repairer {
  readonly renamed = new Map<string, string>();
  readonly lost: Path[] = [];

  /** Undefined: no part of it is valid. */
  repair(schema: Schema, value: Json, path: Path): Json | undefined {
    // The entries of a record are checked one by one: validating it as a whole first would double
    // the time.
    const isWhole = !isRecord(schema) && z.safeParse(schema, value).success;
    if (isWhole) return value;
    for (const form of unwrapped(schema)) {
      const attempt = new Repairer();
      const repaired = attempt.#inside(form, value, path);
      if (repaired === undefined || (!isRecord(schema) && !z.safeParse(schema, repaired).success)) continue;
      for (const [key, written] of attempt.renamed) this.renamed.set(key, written);
      this.lost.push(...attempt.lost);
      return repaired;
    }
    return undefined;
  }

  #inside(form: Schema, value: Json, path: Path): Json | undefined {
    const def = definitionOf(form);
    if (def.type === 'enum')
      return typeof value === 'string' ? (nearest(value, Object.keys(def.entries)) ?? undefined) : undefined;
    if (def.type === 'array') return Array.isArray(value) ? this.#list(def.element, value, path) : undefined;
    if (!isJsonObject(value)) return undefined;
    if (def.type === 'object') return this.map(form as z.ZodObject, value, path);
    return def.type === 'record' ? this.#entries(def.keyType, def.valueType, value, path) : undefined;
  }

  map({ shape }: z.ZodObject, value: JsonObject, path: Path): JsonObject {
    const repaired: JsonObject = {};
    const free = Object.keys(shape).filter((key) => !Object.hasOwn(value, key));
    for (const [written, given] of Object.entries(value)) {
      const key = Object.hasOwn(shape, written) ? written : nearest(written, free);
      if (key === null || Object.hasOwn(repaired, key)) {
        this.lost.push([...path, written]);
        continue;
      }
      const at = [...path, key];
      if (key !== written) this.renamed.set(pathText(at), written);
      const inner = this.repair(ownValue(shape, key), given, at);
      if (inner === undefined) this.lost.push(at);
      else setOwn(repaired, key, inner);
    }
    return repaired;
  }

  /** Undefined if the value had entries and none of them is valid. */
  #entries(names: Schema, inner: Schema, value: JsonObject, path: Path): JsonObject | undefined {
    const repaired: JsonObject = {};
    for (const [name, given] of Object.entries(value)) {
      const isName = z.safeParse(names, name).success;
      const entry = isName ? this.repair(inner, given, [...path, name]) : undefined;
      if (entry === undefined) this.lost.push([...path, name]);
      else setOwn(repaired, name, entry);
    }
    return Object.keys(repaired).length === 0 ? undefined : repaired;
  }

  /** Items are identified by index, so none can be dropped. */
  #list(element: Schema, value: readonly Json[], path: Path): Json[] | undefined {
    const repaired: Json[] = [];
    for (const [index, given] of value.entries()) {
      const item = this.repair(element, given, [...path, index]);
      if (item === undefined) return undefined;
      repaired.push(item);
    }
    return repaired;
  }
}
