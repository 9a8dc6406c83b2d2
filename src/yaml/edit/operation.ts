import { isJsonObject, valueAt, type Json, type JsonObject } from '../../kernel/json.ts';
import { ownValue } from '../../kernel/own.ts';
import type { Path } from '../yaml.ts';

/** A change of the value that a source text says. Paths lead from the root of the text. */
export type Operation =
  /** The value at an existing path becomes another one. */
  | { readonly do: 'set'; readonly path: Path; readonly value: Json }
  /** The key at the end of the path gets another name, and keeps its place. */
  | { readonly do: 'rename'; readonly path: Path; readonly name: string }
  /**
   * A new pair or item at the path: a pair after the key `after` (null: first; missing: last), an
   * item before the one that has the index now.
   */
  | { readonly do: 'add'; readonly path: Path; readonly value: Json; readonly after?: string | null }
  /** The pair or item at the path is removed. */
  | { readonly do: 'remove'; readonly path: Path };

/** Why an operation does not fit the value. */
export class Unfit extends Error {}

/** The value after an operation. Throws `Unfit`. */
export function valueAfter(value: Json, operation: Operation): Json {
  const { path } = operation;
  if (path.length > 0) return inside(value, path, operation);
  if (operation.do !== 'set') throw new Unfit('the whole text can only be set');
  return operation.value;
}

function inside(value: Json, path: Path, operation: Operation): Json {
  const [key, ...rest] = path as [string | number, ...(string | number)[]];
  if (rest.length === 0)
    return Array.isArray(value)
      ? changedList(value, Number(key), operation)
      : changedMap(asMap(value, operation.path), String(key), operation);
  const inner = Array.isArray(value) ? value[Number(key)] : ownValue(asMap(value, operation.path), key);
  if (inner === undefined) throw nothingAt(operation.path);
  const changed = inside(inner, rest, operation);
  if (Array.isArray(value)) return value.with(Number(key), changed);
  return { ...asMap(value, operation.path), [key]: changed };
}

function asMap(value: Json, path: Path): JsonObject {
  if (!isJsonObject(value)) throw nothingAt(path);
  return value;
}

function nothingAt(path: Path): Unfit {
  return new Unfit(`there is no \`${path.join('.')}\``);
}

function changedList(list: readonly Json[], index: number, operation: Operation): Json[] {
  if (operation.do === 'rename') throw new Unfit('an item of a list has no name');
  const last = operation.do === 'add' ? list.length : list.length - 1;
  if (!Number.isInteger(index) || index < 0 || index > last) throw nothingAt(operation.path);
  if (operation.do === 'add') return list.toSpliced(index, 0, operation.value);
  return operation.do === 'remove' ? list.toSpliced(index, 1) : list.with(index, operation.value);
}

function changedMap(map: JsonObject, key: string, operation: Operation): JsonObject {
  const has = Object.hasOwn(map, key);
  if (operation.do === 'add') return withPair(map, key, operation.value, operation.after);
  if (!has) throw nothingAt(operation.path);
  if (operation.do === 'set') return { ...map, [key]: operation.value };
  const pairs = Object.entries(map);
  if (operation.do === 'remove') return Object.fromEntries(pairs.filter(([name]) => name !== key));
  const { name } = operation;
  if (name !== key && Object.hasOwn(map, name)) throw new Unfit(`there is already a key \`${name}\``);
  return Object.fromEntries(pairs.map(([each, inner]) => [each === key ? name : each, inner]));
}

function withPair(map: JsonObject, key: string, value: Json, after: string | null | undefined): JsonObject {
  if (Object.hasOwn(map, key)) throw new Unfit(`there is already a key \`${key}\``);
  const pairs = Object.entries(map);
  return Object.fromEntries(pairs.toSpliced(positionAfter(Object.keys(map), after), 0, [key, value]));
}

/** Where a new pair goes among the keys. Throws `Unfit`. */
export function positionAfter(keys: readonly string[], after: string | null | undefined): number {
  if (after === null) return 0;
  const index = after === undefined ? keys.length - 1 : keys.indexOf(after);
  if (after !== undefined && index === -1) throw new Unfit(`there is no key \`${after}\``);
  return index + 1;
}

/**
 * Operations that together do the same, each as small as it can be: setting a mapping or a list
 * touches only the pairs and items that differ.
 */
export function smallestOperations(value: Json, operation: Operation): Operation[] {
  if (operation.do !== 'set') return [operation];
  return differences(expectValue(value, operation.path), operation.value, operation.path);
}

function expectValue(value: Json, path: Path): Json {
  const found = valueAt(value, path);
  if (found === undefined) throw nothingAt(path);
  return found;
}

function differences(before: Json, after: Json, path: Path): Operation[] {
  if (isSame(before, after)) return [];
  const whole: Operation[] = [{ do: 'set', path, value: after }];
  if (isEmpty(before) || isEmpty(after)) return whole;
  if (Array.isArray(before) && Array.isArray(after)) return listDifferences(before, after, path);
  if (!isJsonObject(before) || !isJsonObject(after)) return whole;
  return mapDifferences(before, after, path) ?? whole;
}

function isEmpty(value: Json): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** Null: the common keys change their order. */
function mapDifferences(before: JsonObject, after: JsonObject, path: Path): Operation[] | null {
  const kept = Object.keys(before).filter((key) => Object.hasOwn(after, key));
  const common = Object.keys(after).filter((key) => Object.hasOwn(before, key));
  if (kept.length === 0 || !isSame(kept, common)) return null;
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  const keys = Object.keys(after);
  return [
    ...removed.map((key): Operation => ({ do: 'remove', path: [...path, key] })),
    ...kept.flatMap((key) => differences(before[key]!, after[key]!, [...path, key])),
    ...keys.flatMap((key, index): Operation[] =>
      Object.hasOwn(before, key)
        ? []
        : [{ do: 'add', path: [...path, key], value: after[key]!, after: keys[index - 1] ?? null }],
    ),
  ];
}

function listDifferences(before: readonly Json[], after: readonly Json[], path: Path): Operation[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && isSame(before[head]!, after[head]!)) head += 1;
  let tail = 0;
  while (tail < shorter - head && isSame(before.at(-1 - tail)!, after.at(-1 - tail)!)) tail += 1;
  const changed = shorter - head - tail;
  const range = (count: number) => Array.from({ length: Math.max(0, count) }, (_, index) => index);
  return [
    ...range(changed).flatMap((each) =>
      differences(before[head + each]!, after[head + each]!, [...path, head + each]),
    ),
    ...range(before.length - after.length).map((): Operation => ({
      do: 'remove',
      path: [...path, head + changed],
    })),
    ...range(after.length - before.length).map((each): Operation => {
      const index = head + changed + each;
      return { do: 'add', path: [...path, index], value: after[index]! };
    }),
  ];
}

/** Whether two values are written alike; the order of keys counts. */
export function isSame(one: Json, other: Json): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
