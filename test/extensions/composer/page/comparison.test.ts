import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hunksBetween } from '../../../../src/extensions/composer/page/comparison.ts';

const signs = { same: ' ', added: '+', removed: '-' } as const;

/** Each hunk with its head, and its lines with their signs. */
function written(before: string, after: string): string[][] {
  return hunksBetween(before, after).map(({ head, lines }) => [
    head,
    ...lines.map(({ kind, text, isUnended }) => `${signs[kind]}${text}${isUnended ? '|' : ''}`),
  ]);
}

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_none, index) => `${String(from + index)}\n`).join('');

test('two texts are compared by lines, with three around each change', () => {
  expect(written(lines(1, 20), `${lines(1, 4)}new\n${lines(6, 14)}${lines(16, 20)}`)).toEqual([
    ['line 2', ' 2', ' 3', ' 4', '-5', '+new', ' 6', ' 7', ' 8'],
    ['line 12', ' 12', ' 13', ' 14', '-15', ' 16', ' 17', ' 18'],
  ]);
  expect(written('a\nb\n', 'a\nb')).toEqual([['line 1', ' a', '-b', '+b|']]);
  expect(written('', 'a\n')).toEqual([['line 1', '+a']]);
  expect(written('a\n', '')).toEqual([['line 1', '-a']]);
  expect(written('same\n', 'same\n')).toEqual([]);
});

test('many lines that all differ are compared, too', () => {
  const [hunk] = hunksBetween(lines(1, 5_000), lines(10_001, 15_000));
  expect(hunk?.lines.filter(({ kind }) => kind === 'removed')).toHaveLength(5_000);
  expect(hunk?.lines.filter(({ kind }) => kind === 'added')).toHaveLength(5_000);
});

test('no other way is shorter, and each side is what its text has there', () => {
  const texts = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n'), { maxLength: 9 });
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const all = hunksBetween(before.join(''), after.join('')).flatMap((hunk) => hunk.lines);
      for (const { kind, text, before: old, after: own } of all) {
        expect(kind === 'added' ? null : before[old! - 1]).toBe(kind === 'added' ? null : `${text}\n`);
        expect(kind === 'removed' ? null : after[own! - 1]).toBe(kind === 'removed' ? null : `${text}\n`);
      }
      const changed = all.filter(({ kind }) => kind !== 'same').length;
      expect(changed).toBe(before.length + after.length - 2 * mostInCommon(before, after));
    }),
  );
});

/** How many lines two texts can have in common, in order: found by trying all. */
function mostInCommon([first, ...more]: readonly string[], others: readonly string[]): number {
  if (first === undefined) return 0;
  const at = others.indexOf(first);
  const without = mostInCommon(more, others);
  return at === -1 ? without : Math.max(without, 1 + mostInCommon(more, others.slice(at + 1)));
}
