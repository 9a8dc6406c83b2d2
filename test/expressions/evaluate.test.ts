import fc from '../support/fast-check.ts';
import { expect, test } from 'vitest';
import { evaluate } from '../../src/expressions/evaluate.ts';
import { expressionLimits } from '../../src/expressions/limits.ts';
import { nowhere } from '../../src/expressions/problem.ts';
import type { Tree } from '../../src/expressions/tree.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { conditionOf, exact, loose, treeOf, valueOf } from './language.ts';

const context: JsonObject = {
  parameters: { feature: 'auth', count: 3, none: null, 'a.b': 'dotted', List: [10, 20, { x: 'y' }] },
  steps: {
    plan: { status: 'SUCCEEDED', values: { files: ['a.ts', 'B.ts'], json: '{"n":[1,2]}', flag: true } },
    late: { status: 'SKIPPED' },
  },
  env: { PATH: '/bin', path: 'other' },
};

test.each<[string, Json]>([
  ['parameters.feature', 'auth'],
  ['parameters.FEATURE', 'auth'],
  ['PARAMETERS.list[1]', 20],
  ["parameters['a.b']", 'dotted'],
  ["parameters.list[2]['X']", 'y'],
  ["parameters.list['1']", 20],
  ['parameters.list[1.9]', 20],
  ['env.PATH', '/bin'],
  ['env.path', 'other'],
  ['env.Path', '/bin'],
  ['steps.plan.values.files', ['a.ts', 'B.ts']],
  ["steps[parameters.list[2].x == 1 ? 1 : parameters.feature == 1 ? 1 : 'plan'].status", 'SUCCEEDED'],
  ['fromJSON(steps.plan.values.json).n[1]', 2],
  ['parameters.none', null],
  ["'' || 0 || 'last'", 'last'],
  ["'a' && 0 && 'b'", 0],
  ["1 && 'b'", 'b'],
  ['null || false', false],
  ["parameters.count > 2 ? 'many' : 'few'", 'many'],
  ["'' ? 1 : 2", 2],
  ['!parameters.none', true],
  ["!'0'", false],
  ["!fromJSON('[]')", false],
])('%s is %j', (text, value) => {
  expect(valueOf(text, context)).toEqual(value);
});

test.each<[string, boolean]>([
  ["'A' == 'a'", true],
  ["'ı' == 'I'", false],
  ["1 == '1'", true],
  ["1 == ' 1.0 '", true],
  ["'' == 0", true],
  ["'x' == 0", false],
  ["'x' != 0", true],
  ["'x' < 0", false],
  ["'x' >= 0", false],
  ['0 == null', true],
  ["'' == null", true],
  ['true == 1', true],
  ["true == '1'", true],
  ["true == 'true'", false],
  ['false < true', true],
  ['null <= null', true],
  ['null < null', false],
  ["'a' < 'B'", true],
  ["10 > '9'", true],
  ["'10' > '9'", false],
  ['item == item', true],
  ['item == fromJSON(\'{"b":[1,{}],"a":null}\')', true],
  ['item == fromJSON(\'{"a":null}\')', false],
  ['item == fromJSON(\'{"a":null,"c":[1,{}]}\')', false],
  ['item.b == fromJSON(\'{"0":1,"1":{}}\')', false],
  ["item == ''", false],
  ['item < item', false],
  ['item >= item', true],
])('as on GitHub, %s is %j', (text, value) => {
  expect(valueOf(text, { item: { a: null, b: [1, {}] } })).toBe(value);
});

test.each<[string, boolean]>([
  ["'A' == 'a'", false],
  ["1 == '1'", false],
  ["1 != '1'", true],
  ['0 == null', false],
  ["'' == null", false],
  ['true == 1', false],
  ['1 == 1.0', true],
  ["'a' < 'b'", true],
  ["'B' < 'a'", true],
  ["10 > '9'", false],
  ["10 <= '9'", false],
  ['true <= true', true],
  ['null >= null', true],
  ['$.list == $.same', true],
  ['$.list == $.other', false],
  ['$.Name == null', true],
  ["$.name == 'x'", true],
  ['$.list[0] == 1', true],
  ["$.list['0'] == null", true],
  ['$.missing.deeper == null', true],
])('exactly compared, %s is %j', (text, value) => {
  const data = { $: { list: [1, ['a']], same: [1, ['a']], other: [1, ['A']], name: 'x' } };
  expect(conditionOf(text, data, exact)).toBe(value);
});

test.each<[string, Json]>([
  ["length('a😀')", 2],
  ['length(item)', 2],
  ['length(fromJSON(\'{"a":1}\'))', 1],
  ['length(null)', 0],
  ["contains('Hello', 'ELL')", true],
  ["contains('Hello', '')", true],
  ["contains('Hello', 'x')", false],
  ["contains(item, 'A')", true],
  ["contains(item, 'b')", false],
  ['contains(item, 7)', true],
  ["contains(fromJSON('{\"a\":1}'), 'a')", false],
  ['contains(123, 2)', true],
  ["startsWith('Feature/x', 'feature/')", true],
  ["startsWith('x', 'xx')", false],
  ["startsWith(item, 'a')", false],
  ["endsWith('a.TS', '.ts')", true],
  ["endsWith('a.ts', 'a')", false],
  ['toJSON(item)', '[\n  "a",\n  "7"\n]'],
  ["toJSON('x')", '"x"'],
  ['tojson(null)', 'null'],
  ["fromJSON(' [1] ')", [1]],
  ['fromJSON(\'"x"\')', 'x'],
  ['fromJSON(item)', ['a', '7']],
  ['join(item)', 'a,7'],
  ["join(item, ' + ')", 'a + 7'],
  ["join('x', ',')", 'x'],
  ['join(fromJSON(\'{"a":1}\'))', ''],
  ["join(fromJSON('[1,null,true,[2],{\"a\":1}]'), '|')", '1||true|[2]|{"a":1}'],
  ["default(null, '', 'x')", ''],
  ['default(null, null)', null],
])('%s gives %j', (text, value) => {
  expect(valueOf(text, { item: ['a', '7'] })).toEqual(value);
});

test.each([
  ['length(1)', '`length`: a number has no length', 'length(1)'],
  [
    "1 == 1 && fromJSON('{a')",
    '`fromJSON`: the text is not JSON: line 1, column 2: expected a key in double quotes: {a',
    "fromJSON('{a')",
  ],
  [
    "fromJSON('[9007199254740993]')",
    '`fromJSON`: `9007199254740993` (line 1, column 2) is a number that cannot be kept exactly; quote it to keep its digits',
    "fromJSON('[9007199254740993]')",
  ],
  ['fromJSON(item.deep)', '`fromJSON`: the text is nested more than 200 levels deep', 'fromJSON(item.deep)'],
  ['toJSON(item.tree)', '`toJSON`: the value is too long or nested too deeply', 'toJSON(item.tree)'],
  ['join(item.long)', '`join`: the value is too long or nested too deeply', 'join(item.long)'],
  ['toJSON(item.long)', '`toJSON`: the value is too long or nested too deeply', 'toJSON(item.long)'],
])('%s fails with a reason and its place', (text, message, place) => {
  const deep = '['.repeat(expressionLimits.valueDepth + 1) + ']'.repeat(expressionLimits.valueDepth + 1);
  const half = 'x'.repeat(expressionLimits.resultText / 2);
  const item = { deep, tree: JSON.parse(deep) as Json, long: [half, half] };
  const result = evaluate(treeOf(text), { item }, loose, 'value');
  const start = text.indexOf(place);
  const span = { start, end: start + place.length };
  expect(result).toEqual({ ok: false, why: { kind: 'failed', message, span } });
});

test.each([
  ['steps.late.values.x', 'steps.late.values.x'],
  ["'a' == steps.late.values.x", 'steps.late.values.x'],
  ["steps.late.values.x || 'b'", 'steps.late.values.x'],
  ['parameters.none.deeper', 'parameters.none.deeper'],
  ['parameters.feature.length', 'parameters.feature.length'],
  ['parameters.list[3]', 'parameters.list.3'],
  ['parameters.list[parameters.count]', 'parameters.list.*'],
  ['item', 'item'],
  ['fromJSON(steps.plan.values.json).missing', 'fromJSON(…).missing'],
])('%s has no value: %s is absent', (text, path) => {
  const result = evaluate(treeOf(text), context, loose, 'value');
  expect(result).toMatchObject({ ok: false, why: { kind: 'absent', path } });
  expect(conditionOf(`(${text}) == null || true`, context)).toBe(true);
});

test.each<[string, Json]>([
  ["default(steps.late.values.x, 'b')", 'b'],
  ["DEFAULT(fromJSON(steps.late.values.x).y, 'b')", 'b'],
  ['default(steps.late.values.x, steps.late.values.y)', null],
  ["steps.late.status == 'SUCCEEDED' && steps.late.values.x", false],
  ["steps.late.status == 'SKIPPED' && steps.late.values.x", null],
  ["steps.late.status == 'SUCCEEDED' || steps.late.values.x", null],
  ["steps.late.status == 'SKIPPED' ? steps.late.values.x : 1", null],
  ["steps['late'].status == 'SKIPPED' ? toJSON(steps.late.values.x) : 1", 'null'],
  ["true ? 'a' : steps.late.values.x", 'a'],
  ['true || steps.late.values.x', true],
])('%s is guarded and gives %j', (text, value) => {
  expect(valueOf(text, context)).toEqual(value);
});

test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'length', 'at'])(
  'nothing of a prototype is seen: %s',
  (name) => {
    for (const text of [
      `item.${name}`,
      `item['${name}']`,
      `item.list.${name}`,
      `item.text.${name}`,
      `item.${name}.${name}`,
    ])
      expect(evaluate(treeOf(text), { item: { list: [1], text: 'x' } }, loose, 'value').ok).toBe(false);
    expect(conditionOf(`item.${name} == null`, { item: {} })).toBe(true);
  },
);

test("a key `__proto__` of the data is the data's", () => {
  expect(valueOf('fromJSON(item).__proto__.a', { item: '{"__proto__":{"a":1}}' })).toBe(1);
});

test('a tree that is too deep is refused, whoever built it', () => {
  let tree: Tree = { kind: 'literal', value: true, span: nowhere };
  const nest = (levels: number): void => {
    for (let level = 0; level < levels; level += 1) tree = { kind: 'not', operand: tree, span: nowhere };
  };
  nest(expressionLimits.treeDepth - 1);
  expect(evaluate(tree, {}, loose, 'value').ok).toBe(true);
  nest(100_000);
  expect(evaluate(tree, {}, loose, 'value')).toMatchObject({ ok: false, why: { kind: 'failed' } });
});

test('a tree is the same after it was written as JSON', () => {
  const tree = treeOf("default(steps.late.values.x, steps.plan.status == 'succeeded' ? !1 : env['path'])");
  const copy = JSON.parse(JSON.stringify(tree)) as Tree;
  expect(copy).toEqual(tree);
  expect(evaluate(copy, context, loose, 'value')).toEqual({ ok: true, value: false });
});

const literal = fc.constantFrom('true', 'null', '0', '-1.5', "''", "'a'", "'[1]'", '\'{"a":{}}\'');
const expressions = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    literal,
    fc.constantFrom('item', 'item.a', "item['']", 'steps.x.status', 'steps.x.values.a', 'env[item.a]'),
    fc
      .tuple(tie('any'), fc.constantFrom('==', '!=', '<', '>', '<=', '>=', '&&', '||'), tie('any'))
      .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
    tie('any').map((operand) => `!${operand}`),
    fc.tuple(tie('any'), tie('any'), tie('any')).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
    fc
      .tuple(fc.constantFrom('length', 'toJSON', 'fromJSON', 'join'), tie('any'))
      .map(([name, operand]) => `${name}(${operand})`),
    fc
      .tuple(fc.constantFrom('contains', 'startsWith', 'endsWith', 'join', 'default'), tie('any'), tie('any'))
      .map(([name, a, b]) => `${name}(${a}, ${b})`),
  ),
})).any;

test('every expression has a value or a reason, on any data', () => {
  fc.assert(
    fc.property(
      expressions,
      fc.dictionary(fc.constantFrom('item', 'steps', 'env', 'x', '__proto__'), fc.jsonValue()),
      fc.constantFrom<('value' | 'condition')[]>('value', 'condition'),
      (text, data, purpose) => {
        const plain = JSON.parse(JSON.stringify(data)) as JsonObject;
        const result = evaluate(treeOf(text), plain, loose, purpose);
        if (result.ok) expect(JSON.parse(JSON.stringify(result.value))).toEqual(result.value);
        else expect(result.why.span.end).toBeGreaterThan(result.why.span.start);
        if (!result.ok && purpose === 'condition') expect(result.why.kind).toBe('failed');
      },
    ),
    { numRuns: 1_000 },
  );
});
