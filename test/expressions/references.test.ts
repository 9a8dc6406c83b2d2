import { expect, test } from 'vitest';
import { comparisonsOf, pathOf, referencesOf } from '../../src/expressions/references.ts';
import { typesOf } from '../../src/expressions/types.ts';
import type { JsonType } from '../../src/expressions/values.ts';
import { exact, loose, treeOf } from './language.ts';

/** Each path with `?` when it is guarded, and what the text has in its place. */
function references(text: string, language = loose): string[] {
  return referencesOf(treeOf(text, language), language).map(({ path, span, guarded }) => {
    const names = path.map((each) => each.name ?? '*').join('.');
    return `${names}${guarded ? '?' : ''} @ ${text.slice(span.start, span.end)}`;
  });
}

test.each([
  ["'x'", []],
  ['steps.a.status', ['steps.a.status @ steps.a.status']],
  ["STEPS['a'].values[0]", ["STEPS.a.values.0 @ STEPS['a'].values[0]"]],
  ['steps[item.id].status', ['steps.*.status @ steps[item.id].status', 'item.id @ item.id']],
  ['fromJSON(item.a)[env.B].c', ['item.a @ item.a', 'env.B @ env.B']],
  ['item ? env.A : !env.B', ['item @ item', 'env.A @ env.A', 'env.B @ env.B']],
  ['default(steps.a.values.x, item)', ['steps.a.values.x? @ steps.a.values.x', 'item? @ item']],
  ['length(default(join(env.A), 1))', ['env.A? @ env.A']],
  [
    "steps.a.status == 'x' && steps.a.values.x && steps.b.values.x",
    [
      'steps.a.status @ steps.a.status',
      'steps.a.values.x? @ steps.a.values.x',
      'steps.b.values.x @ steps.b.values.x',
    ],
  ],
  [
    "steps.a.values.x && steps.a.status == 'x'",
    ['steps.a.values.x @ steps.a.values.x', 'steps.a.status @ steps.a.status'],
  ],
  [
    "!(steps.A.status == 'x') || length(steps.a.values.x)",
    ['steps.A.status @ steps.A.status', 'steps.a.values.x? @ steps.a.values.x'],
  ],
  [
    "steps.a.status == 'x' ? steps.a.values.x : steps.a.values.y",
    [
      'steps.a.status @ steps.a.status',
      'steps.a.values.x? @ steps.a.values.x',
      'steps.a.values.y? @ steps.a.values.y',
    ],
  ],
  [
    "item ? steps.a.status == 'x' : steps.a.values.y",
    ['item @ item', 'steps.a.status @ steps.a.status', 'steps.a.values.y @ steps.a.values.y'],
  ],
  [
    "steps.a.values.status == 'x' && steps.a.values.x",
    ['steps.a.values.status @ steps.a.values.status', 'steps.a.values.x @ steps.a.values.x'],
  ],
  [
    "(steps.a.status == 'x' && item) == steps.a.values.x",
    ['steps.a.status @ steps.a.status', 'item @ item', 'steps.a.values.x @ steps.a.values.x'],
  ],
])('%s reads these paths', (text, found) => {
  expect(references(text)).toEqual(found);
});

test('a language without results of steps knows no guards', () => {
  expect(references('$.steps.a.status == 1 && $.steps.a.x', exact)).toEqual([
    '$.steps.a.status @ $.steps.a.status',
    '$.steps.a.x @ $.steps.a.x',
  ]);
});

test('each word of a path has its own place', () => {
  const text = "1 == steps['front end'].values.x";
  const [reference] = referencesOf(treeOf(text), loose);
  const words = reference!.path.map(({ span }) => text.slice(span.start, span.end));
  expect(words).toEqual(['steps', "'front end'", 'values', 'x']);
});

test('comparisons are found with both operands', () => {
  const tree = treeOf("contains(steps.a.output, 'x') && !(item ? 'no' == steps.a.output : 1 < 2)");
  const found = comparisonsOf(tree).map(({ operator, left, right }) => [
    operator,
    pathOf(left)?.map((each) => each.name) ?? left.kind,
    pathOf(right)?.map((each) => each.name) ?? right.kind,
  ]);
  expect(found).toEqual([
    ['==', 'literal', ['steps', 'a', 'output']],
    ['<', 'literal', 'literal'],
  ]);
});

test.each<[string, JsonType[] | null]>([
  ['1', ['number']],
  ['null', ['null']],
  ['!item', ['boolean']],
  ['item == env.A', ['boolean']],
  ['env.A', ['string']],
  ['item', null],
  ["item ? 'a' : 1", ['string', 'number']],
  ['item ? item : 1', null],
  ['env.A && 1', ['string', 'number']],
  ['length(item)', ['number']],
  ['join(item)', ['string']],
  ['fromJSON(env.A)', null],
  ['fromJSON(env.A).b', null],
  ['default(env.A, 1)', ['string', 'number']],
])('the types of %s are %j', (text, types) => {
  const found = typesOf(treeOf(text), loose, ([namespace]) =>
    namespace?.name === 'env' ? new Set(['string']) : null,
  );
  expect(found === null ? null : [...found]).toEqual(types);
});
