import { parse } from 'yaml';

/** What a dropped file says, as another reader understands it. */
export interface Said {
  /** Null: a plain text. */
  readonly front: Readonly<Record<string, unknown>> | null;
  readonly body: string;
}

/** Reads a message with another parser and none of our code; for texts that we accepted. */
export function saidBy(text: string): Said {
  const clean = text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  if (!clean.startsWith('---\n')) return { front: null, body: clean };
  const end = `${clean}\n`.indexOf('\n---\n', 3);
  const front: unknown = parse(clean.slice(4, end + 1), { schema: 'core', logLevel: 'silent' });
  return { front: (front ?? {}) as Record<string, unknown>, body: clean.slice(end + 5) };
}

/** JSON has no negative zero, and neither has our journal. */
export const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;

/** A definition, as another parser reads it; null where it is not a mapping. */
export function mapIn(text: string): Readonly<Record<string, unknown>> | null {
  const value: unknown = parse(text.replace(/^\ufeff/, ''), { schema: 'core', logLevel: 'silent' });
  return isMap(value) ? value : null;
}

export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
