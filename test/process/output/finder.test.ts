import { expect, test } from 'vitest';
import { Finder } from '../../../src/process/output/finder.ts';
import { maskerFactory } from '../../../src/process/output/mask.ts';
import fc from '../../support/fast-check.ts';

/** Few letters, so that the strings overlap, repeat and begin with each other. */
const letters = (least: number, most: number) =>
  fc.string({ unit: fc.constantFrom('a', 'b', 'ü'), minLength: least, maxLength: most });
const someWanted = fc.array(letters(4, 9), { minLength: 1, maxLength: 12 });

/** Every byte of every occurrence that ends behind `from`, found the plain way. */
function coveredPlainly(wanted: readonly string[], input: Buffer, from: number): Set<number> {
  const covered = new Set<number>();
  for (const each of wanted.map((text) => Buffer.from(text)))
    for (let at = 0; at + each.length <= input.length; at += 1)
      if (at + each.length > from && input.subarray(at, at + each.length).equals(each))
        for (let byte = at; byte < at + each.length; byte += 1) covered.add(byte);
  return covered;
}

function begunPlainly(wanted: readonly string[], input: Buffer): number {
  const lengths = wanted.flatMap((text) => {
    const each = Buffer.from(text);
    return Array.from({ length: each.length }, (_, length) => length).filter(
      (length) =>
        length <= input.length && input.subarray(input.length - length).equals(each.subarray(0, length)),
    );
  });
  return Math.max(0, ...lengths);
}

test.each<[readonly string[], string, [number, number][]]>([
  [
    ['aaaa'],
    'baaaaaaab',
    [
      [1, 5],
      [4, 8],
    ],
  ],
  [
    ['aabbbb', 'abbb'],
    'aabbbb',
    [
      [1, 5],
      [0, 6],
    ],
  ],
])('finds %j in %s, by their ends', (wanted, text, spans) => {
  expect(new Finder(wanted.map((each) => Buffer.from(each))).find(Buffer.from(text), 0)).toEqual(spans);
});

test('finds exactly what looking for each string finds', () => {
  fc.assert(
    fc.property(someWanted, letters(0, 60), fc.nat({ max: 40 }), (wanted, text, from) => {
      const input = Buffer.from(text);
      const finder = new Finder(wanted.map((each) => Buffer.from(each)));
      const spans = finder.find(input, from);
      const covered = spans.flatMap(([start, end]) =>
        Array.from({ length: end - start }, (_, index) => start + index),
      );
      expect(new Set(covered)).toEqual(coveredPlainly(wanted, input, from));
      expect(spans.map(([, end]) => end)).toEqual(spans.map(([, end]) => end).toSorted((a, b) => a - b));
      expect(finder.begun(input)).toBe(begunPlainly(wanted, input));
    }),
  );
});

test('masks every occurrence of any number of secrets, however the output is cut', () => {
  const key = (index: number) => `key-${String(index * 7919).padStart(9, '0')}-of-it`;
  const newMasker = maskerFactory(Array.from({ length: 500 }, (_, index) => key(index)));
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.nat({ max: 499 }).map(key), letters(0, 20)), { maxLength: 20 }),
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 20 }),
      (parts, cuts) => {
        const output = Buffer.from(parts.join('|'));
        const masker = newMasker();
        const shown: Buffer[] = [];
        for (let at = 0, turn = 0; at < output.length; turn += 1) {
          const size = cuts[turn % cuts.length]!;
          shown.push(Buffer.from(masker.push(output.subarray(at, at + size))));
          at += size;
        }
        shown.push(masker.flush());
        const expected = parts.map((part) => (part.startsWith('key-') ? '***' : part)).join('|');
        expect(Buffer.concat(shown).toString()).toBe(expected);
      },
    ),
  );
});
