import fc from '../../support/fast-check.ts';
import { expect } from 'vitest';
import { parse } from 'yaml';
import type { Json, JsonObject } from '../../../src/kernel/json.ts';
import { weakness } from '../../../src/kernel/mask.ts';
import type { Disk } from '../../../src/disk/disk.ts';

/** Every file below a folder, by its path. */
export function filesIn(disk: Disk, folder: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const name of disk.list(folder) ?? []) {
    const path = folder === '' ? name : `${folder}/${name}`;
    if (disk.look(path)?.kind === 'folder')
      for (const [inner, text] of filesIn(disk, path)) found.set(inner, text);
    else found.set(path, disk.read(path, Number.MAX_SAFE_INTEGER)?.toString() ?? '');
  }
  return found;
}

/** The JSON and YAML of a file; null: it is a string. */
function documentsIn(path: string, text: string): Json[] | null {
  if (path.endsWith('values.json')) return null;
  if (path.endsWith('.json')) return [JSON.parse(text) as Json];
  if (path.endsWith('.yaml')) return [parse(text) as Json];
  const lines = text.trimEnd().split('\n');
  if (path.endsWith('.jsonl')) return lines.map((line) => JSON.parse(line) as Json);
  if (path.includes('journal/'))
    return lines.map((line) => JSON.parse(line.slice(line.indexOf(' ') + 1)) as Json);
  if (path.endsWith('.md') && text.startsWith('---\n'))
    return [parse(text.slice(4).split('\n---\n')[0]!) as Json];
  return null;
}

/** Where texts from outside may lie: below these keys. */
const outside =
  /^(output|outputs|reason|reasons|text|message|note|data|summary|error|problem|warnings|one|two|subject|body|violations|reports|problems|denials)$/;

/** The same keys, numbers and words of our own. */
function expectAlike(masked: Json, plain: Json, at: readonly string[]): void {
  const isOutside = at.some((key) => outside.test(key));
  if (typeof plain === 'string') {
    if (!isOutside || typeof masked !== 'string') expect([at, masked]).toEqual([at, plain]);
    return;
  }
  if (typeof plain !== 'object' || plain === null) return expect([at, masked]).toEqual([at, plain]);
  expect(typeof masked).toBe('object');
  const [ours, theirs] = [Object.entries(masked as JsonObject), Object.entries(plain)];
  if (!at.some((key) => /^(data|one|two)$/.test(key)))
    expect([at, ours.map(([key]) => key)]).toEqual([at, theirs.map(([key]) => key)]);
  expect(ours).toHaveLength(theirs.length);
  for (const [index, [key, value]] of theirs.entries())
    expectAlike(ours[index]?.[1] ?? null, value, [...at, key]);
}

const words = [
  'out',
  'on',
  'run',
  'output',
  's',
  'name',
  'status',
  'ended',
  'type',
  '1',
  '123456',
  '"',
  '\\',
  '{',
  'null',
  'true',
];
/** Words of our own documents, short ones, and strong ones with characters that JSON escapes. */
export const secret = fc.oneof(
  fc.constantFrom(...words),
  fc.string({ minLength: 1, maxLength: 5 }),
  fc.string({
    unit: fc.constantFrom('x', 'y', 'ä', '"', '\\', '\n', '7', '.', ' '),
    minLength: 6,
    maxLength: 14,
  }),
);

/**
 * Files that were written with these secrets, and the same without any: no strong secret is in them, and each document has
 * the keys, numbers and words of the other.
 */
export function expectMasked(
  secrets: readonly string[],
  masked: ReadonlyMap<string, string>,
  plain: ReadonlyMap<string, string>,
): void {
  expect([...masked.keys()]).toEqual([...plain.keys()]);
  for (const [path, content] of masked) {
    for (const each of secrets.filter((one) => weakness(one) === null && /[^\d*]/.test(one)))
      for (const spelling of [each, JSON.stringify(each).slice(1, -1)])
        expect([path, content.includes(spelling)]).toEqual([path, false]);
    const documents = documentsIn(path, content);
    if (documents === null) continue;
    const others = documentsIn(path, plain.get(path) ?? '') ?? [];
    expect(documents).toHaveLength(others.length);
    for (const [index, document] of documents.entries()) expectAlike(document, others[index] ?? null, []);
  }
}
