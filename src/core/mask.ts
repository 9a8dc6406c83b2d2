import type { Json } from './json.ts';

/** The mask of those who have no secrets. */
export const unmasked = (text: string): string => text;

/** The value with every text in it masked, names of properties too. For data of others: it must not name our own things. */
export function maskJson(value: Json, mask: (text: string) => string): Json {
  if (mask === unmasked) return value;
  if (typeof value === 'string') return mask(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => maskJson(item, mask));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [mask(key), maskJson(item, mask)]));
}
