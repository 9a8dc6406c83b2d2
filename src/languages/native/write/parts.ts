import type { Json, JsonObject } from '../../../kernel/json.ts';
import type { ValueType } from '../../../workflow/model.ts';

/** Types of values and parameters, without defaults. */
export function types(all: Readonly<Record<string, ValueType>>): JsonObject | null {
  const entries = Object.entries(all).map(([name, type]) => [name, typeOf(type)] as const);
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

/** One type. */
export function typeOf({ items, enum: allowed, required, ...type }: ValueType): JsonObject {
  return withoutNothing({
    ...type,
    items: items && typeOf(items),
    enum: allowed && [...allowed],
    required: required || null,
  });
}

/** A mapping without its empty entries. */
export function withoutNothing(map: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(map).filter(
      (entry): entry is [string, Json] => entry[1] !== null && entry[1] !== undefined,
    ),
  );
}

/** Milliseconds as a duration. */
export function duration(milliseconds: number): string {
  const units = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1_000],
  ] as const;
  const fitting = units.find(([, size]) => milliseconds > 0 && milliseconds % size === 0);
  return fitting
    ? `${String(milliseconds / fitting[1])}${fitting[0]}`
    : `${String(Math.max(1, Math.round(milliseconds)))}ms`;
}
