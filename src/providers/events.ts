import { isJsonObject, parseJson, type Json, type JsonObject } from '../kernel/json.ts';
import { ownValue } from '../kernel/own.ts';

/**
 * The JSON objects of an output with one object per line. Other lines (chatter, a cut line) are
 * skipped.
 */
export function eventsIn(stdout: string): JsonObject[] {
  const events: JsonObject[] = [];
  for (let start = 0; start < stdout.length;) {
    const found = stdout.indexOf('\n', start);
    const end = found === -1 ? stdout.length : found;
    const event = objectIn(stdout.slice(start, end));
    if (event !== null) events.push(event);
    start = end + 1;
  }
  return events;
}

/** The JSON object in a line, or null. */
export function objectIn(line: string): JsonObject | null {
  const text = line.trim();
  if (!text.startsWith('{') || !text.endsWith('}')) return null;
  const value = parseJson(text);
  return isJsonObject(value) ? value : null;
}

/** The value at a path of keys; undefined if there is none. */
export function at(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  let found = value;
  for (const key of path) {
    if (!isJsonObject(found) || !Object.hasOwn(found, key)) return undefined;
    found = ownValue(found, key);
  }
  return found;
}

/** The value as a list; empty for any other value. */
export function list(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

/** The value as a string, or null. */
export function string(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

/** An agent's texts, one paragraph each. */
export function paragraphs(texts: readonly string[]): string {
  return texts
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .join('\n\n');
}

/** The value as an amount: finite and not negative, otherwise null. */
export function amount(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

/**
 * A figure of what a program reports that it used: null if it is missing, NaN if it is not an
 * amount, so that no sum with it counts (see `credible`).
 */
export function figure(value: unknown): number | null {
  return value === undefined || value === null ? null : (amount(value) ?? NaN);
}
