import { expect, it } from 'vitest';
import { lowered, weigh } from '../../scripts/weigh.ts';

/** A source tree with one of each. */
const sources = new Map(
  Object.entries({
    'src/a/slice.ts': 'export const slice = 1;\n',
    'src/a/later.ts': 'export const later = 1;\nexport const never = 1;\n',
    'src/a/ports.ts': `export interface Queue { add(): void; readonly close: () => void; readonly name: string }
export interface Lock { hold(): void }
export interface Point { readonly x: number; readonly y: number; shift(): void }
`,
    'src/a/schema.ts': `import * as z from 'zod';
import { slice } from './slice.ts';
export const card = z.strictObject({ run: z.string(), 'step': z.string(), at: z.number(), by: z.string() });
export type Card = { readonly run: string; readonly step: string; readonly at: number; readonly by: string };
export interface Other { readonly run: string; readonly step: string; readonly at: number; readonly to: string }
const small = z.object({ run: z.string() });
interface Small { readonly run: string }
export const both: [Small, unknown, number] = [{ run: '' }, small, slice];
`,
    'src/b/passing.ts': `import type { Lock, Point, Queue } from '../a/ports.ts';
import { both as pair } from '../a/schema.ts';
export class MemoryQueue implements Queue {
  readonly name = '';
  #inner: Queue | null = null;
  readonly #lock: Lock;
  constructor(lock: Lock) { this.#lock = lock; }
  add(): void { this.#lock.hold(); }
  close = (): void => this.#inner?.close();
  async load(path: string, ...more: string[]): Promise<void> { await read(path, ...more); }
  swapped(a: string, b: string): void { read(b, a); }
}
export class OtherQueue implements Queue { readonly name = ''; add(): void {} close = () => {} }
function read(...paths: string[]): unknown { return [paths, pair].map((each) => String(each)); }
export const isText = (value: unknown): value is string => Boolean(value);
export const asText = (value: Point): string => String(value);
export async function deferred() {
  const { later } = await import('../a/later.ts');
  const local = () => read();
  return [later, local];
}
`,
    'src/b/style.css': '.a {\n  color: red;\n}\n',
    'src/c/faces.ts': `export interface Hooks { ended(): void }
export interface More extends Hooks { readonly started: () => void }
export interface Once { look(): void }
export interface Doubled { look(): void }
export const more: More = { ended() {}, started() {} };
export class Host { constructor(hooks: Hooks) { hooks.ended(); } }
export const host = new Host({ ended() {} });
export function once(): Once { return { look() {} }; }
export const doubled = async (): Promise<Doubled | null> => ({ look() {} });
`,
    'src/extensions/nip/nip.ts':
      "import { MemoryQueue, OtherQueue } from '../../b/passing.ts';\nimport { both } from '../../a/schema.ts';\nexport default [MemoryQueue, OtherQueue, both];",
  }),
);

const tests = new Map([
  [
    'test/c/faces.test.ts',
    `import type { Doubled } from '../../src/c/faces.ts';
import type { Lock } from '../../src/a/ports.ts';
const doubles: Partial<Doubled> = {};
class OneLock implements Lock { hold() {} }
class OtherLock implements Lock { hold() {} }
`,
  ],
]);

const weights = new Map(weigh(sources, tests).map((weight) => [weight.name, weight]));

it.each<[string, number]>([
  ['lines of src', 50],
  ['lines of src without extensions', 47],
  ['files', 7],
  ['behavioural interfaces', 6],
  ['exported names that one file uses, in percent', 29],
])('counts the %s', (name, count) => {
  expect(weights.get(name)?.count).toBe(count);
});

it.each<[string, string[]]>([
  ['files below 60 lines with one importer in their folder', ['src/a/slice.ts']],
  ['types beside a schema with the same 4 or more keys', ['src/a/schema.ts Card']],
  [
    'behavioural interfaces with one implementation or none',
    ['src/a/ports.ts Lock', 'src/c/faces.ts More', 'src/c/faces.ts Once'],
  ],
  [
    'functions that only pass on',
    ['src/b/passing.ts add', 'src/b/passing.ts load', 'src/b/passing.ts asText'],
  ],
])('lists the %s', (name, list) => {
  expect(weights.get(name)?.list).toEqual(list);
});

it('lowers limits, never raises one, and leaves room for lines', () => {
  const limits = { 'lines of src': 1_000, files: 5, 'functions that only pass on': 9 };
  expect(lowered(limits, [...weights.values()])).toEqual({
    'lines of src': 500,
    files: 5,
    'functions that only pass on': 3,
  });
});
