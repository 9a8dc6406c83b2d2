import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isJsonObject } from '../../src/kernel/json.ts';
import { readByKeys } from '../../src/languages/native/by-keys.ts';
import { nativeFile } from '../../src/languages/native/schema.ts';

/** By key: values that are right, and values that are not. */
const values: Readonly<Record<string, readonly [right: readonly unknown[], wrong: readonly unknown[]]>> = {
  worker: [['CUSTOM', 'CLAUDE_CODE'], ['custom']],
  command: [
    [['make'], ['npm', 'test']],
    [[], 'make'],
  ],
  instructions: [['true', ''], [1]],
  capabilities: [[['READ'], ['EDIT', 'READ', 'READ']], [['FLY']]],
  depends_on: [
    [[], ['a']],
    [[1], ['-x']],
  ],
  when: [[true, '${{ true }}'], [null]],
  env: [[{ A: 'x', B: 1 }], [{ 'a-b': 'x' }, []]],
  outputs: [[[{ name: 'a', path: 'b' }]], [[{ name: 'a', path: 'b', other: 1 }], [{ name: 'a' }]]],
  timeout: [['5m', '1h30m'], [5]],
  max_retries: [
    [0, 2],
    [-1, 1.5],
  ],
  for_each: [[{ items: [1, 2], steps: { a: { worker: 'CUSTOM' } } }], [{ items: [1], steps: {} }]],
  budget: [[{ usd: 1 }, { tokens: '4k' }], [{ usd: -1 }]],
};

const mostly = <T>(arbitrary: fc.Arbitrary<T>, ...others: fc.Arbitrary<T>[]) =>
  fc.oneof({ weight: 50, arbitrary }, ...others.map((each) => ({ weight: 1, arbitrary: each })));
const entry = fc
  .constantFrom(...Object.entries(values))
  .chain(([key, [right, wrong]]) =>
    mostly(fc.constantFrom(...right), fc.constantFrom(...wrong)).map((value) => [key, value] as const),
  );
const strange = fc.constantFrom(['unheard_of', 1] as const, ['constructor', 1] as const);
const step = fc.array(mostly(entry, strange), { maxLength: 4 }).map((entries) => Object.fromEntries(entries));
const id = mostly(fc.constantFrom('a', 'b', 'c.d', 'constructor'), fc.constantFrom('é', '-a'));
const steps = fc
  .array(fc.tuple(id, mostly<unknown>(step, fc.constant(null))), { maxLength: 3 })
  .map((entries) => Object.fromEntries(entries));
const file = fc.record(
  {
    name: mostly(fc.constant('x'), fc.constant('')),
    version: fc.constantFrom('1', 1),
    timeout: fc.constantFrom('1h', '1d'),
    env: mostly<unknown>(fc.constant({ A: 'x' }), fc.constant({ 'a-b': 'x' })),
    steps: mostly<unknown>(steps, fc.constant([])),
  },
  { requiredKeys: ['name', 'version', 'timeout', 'steps'] },
);

test('a file is read as its schema reads it, or not at all', () => {
  let right = 0;
  let wrong = 0;
  fc.assert(
    fc.property(file, (given) => {
      if (!isJsonObject(given)) throw new Error('no map');
      const read = nativeFile.safeParse(given);
      expect(readByKeys(given)).toEqual(read.success ? read.data : null);
      if (read.success) right += 1;
      else wrong += 1;
    }),
    { numRuns: 2_000 },
  );
  expect(right).toBeGreaterThan(500);
  expect(wrong).toBeGreaterThan(200);
});
