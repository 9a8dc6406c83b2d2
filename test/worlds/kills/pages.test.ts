import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { mail } from './mail/mail.ts';
import type { Matrix } from './matrix.ts';
import { readPage, render } from './report.ts';
import { runs } from './runs/runs.ts';

type Written = Pick<Matrix, 'effects' | 'kinds' | 'page'>;

it.each<[string, Written]>([
  ['mail/matrix.md', mail],
  ['runs/matrix.md', runs],
])('%s has each kind of work of the code, when it was played, and that each place held', (_file, matrix) => {
  const text = readFileSync(matrix.page.file, 'utf8');
  const played = readPage(text);
  const tables = (page: string) => page.split('\n').filter((line) => line.startsWith('|'));
  expect(tables(text)).toEqual(tables(render(matrix, played)));
  expect([...played.values()].filter(({ when }) => when === 'not yet')).toEqual([]);
  const cells = [...played.values()].flatMap((kind) => [...kind.cells]);
  expect(cells.filter(([, cell]) => cell === '✗')).toEqual([]);
  const held = new Set(cells.flatMap(([place, cell]) => (cell === '✓' ? [place] : [])));
  expect(Object.keys(matrix.effects).filter((place) => !held.has(place))).toEqual([]);
});

it('replaces on a page only what is said of the kinds that were played', () => {
  const page = { head: '# Page\n', file: new URL('file:///page.md') };
  const at = (what: string) => ({ what, middle: null });
  const before = { page, effects: { b: at('makes b') }, kinds: [{ name: 'one', what: 'One' }] };
  const kinds = [
    { name: 'zero', what: 'Nothing' },
    { name: 'two', what: 'Two' },
    { name: 'one', what: 'One' },
  ];
  const after = { page, effects: { a: at('makes a'), b: at('makes b') }, kinds };
  const cells = (...all: [string, string][]) => new Map(all);
  const one = { when: 'then', crashes: '2', cells: cells(['b', '✓']) };
  const two = { when: 'now', crashes: '1', cells: cells(['a', '✓'], ['b', '']) };
  const text = render(after, new Map([...readPage(render(before, new Map([['one', one]]))), ['two', two]]));
  expect(readPage(text)).toEqual(
    new Map([
      ['zero', { when: 'not yet', crashes: '', cells: cells() }],
      ['two', two],
      ['one', one],
    ]),
  );
  expect(text).toContain('| `a`   | makes a            |        | ·   | ✓   | ·   |');
});
