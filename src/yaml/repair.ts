import * as z from 'zod';
import { isJsonObject, type Json, type JsonObject } from '../kernel/json.ts';
import { nearest } from '../kernel/nearest.ts';
import { definitionOf, isRecord, unwrapped } from './shape.ts';
import type { Path, YamlDocument } from './yaml.ts';

/*
 * What of a value with mistakes can be used, so that one mistake hides no other: a misspelt key or word is read as the one
 * that was meant, and what still does not fit is left out, as little of it as there is.
 */

export interface Repaired {
  readonly value: JsonObject;
  /** By the path to a key as it was read: the key as it is written. */
  readonly renamed: ReadonlyMap<string, string>;
  /** What was left out, keys that nobody knows among it. */
  readonly lost: readonly Path[];
}

/** Paths are kept as texts. */
export function pathText(path: Path): string {
  return JSON.stringify(path);
}

/** The map that the schema wants, as far as this one is that. What must be there may be missing in it. */
export function repair(schema: z.ZodObject, value: JsonObject): Repaired {
  const repairer = new Repairer();
  return { value: repairer.map(schema, value, []), renamed: repairer.renamed, lost: repairer.lost };
}

/** A document under the keys that its own were read as; places are those of what is written. */
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

  /** Undefined: nothing of it can be used. */
  repair(schema: Schema, value: Json, path: Path): Json | undefined {
    // Of a map by name each entry is looked at by itself: to read it as a whole first would take as long again.
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
      const inner = this.repair(shape[key], given, at);
      if (inner === undefined) this.lost.push(at);
      else repaired[key] = inner;
    }
    return repaired;
  }

  /** Of what held something, something must be left. */
  #entries(names: Schema, inner: Schema, value: JsonObject, path: Path): JsonObject | undefined {
    const repaired: JsonObject = {};
    for (const [name, given] of Object.entries(value)) {
      const isName = z.safeParse(names, name).success;
      const entry = isName ? this.repair(inner, given, [...path, name]) : undefined;
      if (entry === undefined) this.lost.push([...path, name]);
      else repaired[name] = entry;
    }
    return Object.keys(repaired).length === 0 ? undefined : repaired;
  }

  /** Items are known by their number, so none can be left out. */
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
