import { expect, test } from 'vitest';
import { evaluate } from '../../src/expressions/evaluate.ts';
import { expressionLimits } from '../../src/expressions/limits.ts';
import { nativeLanguage } from '../../src/workflow/machine/language.ts';
import type { Json } from '../../src/kernel/json.ts';
import { treeOf } from './language.ts';

function called(text: string, given: Json): Json | string {
  const result = evaluate(treeOf(text, nativeLanguage), { context: { x: given } }, nativeLanguage, 'value');
  if (result.ok) return result.value;
  return result.why.kind === 'failed' ? result.why.message : result.why.kind;
}

test.each<[string, Json, Json]>([
  ['split(context.x)', 'a,b,,c', ['a', 'b', '', 'c']],
  ["split(context.x, '::')", 'a::b:c', ['a', 'b:c']],
  ['split(context.x)', '', []],
  ['split(context.x)', null, []],
  ["split(context.x, '')", 'ab', '`split`: the separator is empty'],
  ['lines(context.x)', 'a\n\nb\r\n', ['a', '', 'b']],
  ['lines(context.x)', 'a\n\n', ['a', '']],
  ['lines(context.x)', '', []],
  ['lines(context.x)', '\n', []],
  ['number(context.x)', ' 1.50 ', 1.5],
  ['number(context.x)', '-0', 0],
  [
    'number(context.x)',
    '9007199254740993',
    '`number`: 9007199254740993 is a number that cannot be kept exactly',
  ],
  ['number(context.x)', '1e-400', '`number`: 1e-400 is a number that cannot be kept exactly'],
  ['number(context.x)', '1e400', '`number`: 1e400 is a number that cannot be kept exactly'],
  ['number(context.x)', 'many', '`number`: "many" is not a number'],
  ["map('a', context.x)", 1, { a: 1 }],
  ["map('a', context.x, 'b')", 1, '`map`: it wants a value behind each name'],
  ["glob('*.ts')", null, 'unseen'],
])('%s of %j is %j', (text, given, value) => {
  expect(called(text, given)).toEqual(value);
});

test('a text is split into a bounded number of parts', () => {
  const { parts } = expressionLimits;
  expect(called('lines(context.x)', 'a\n'.repeat(parts))).toHaveLength(parts);
  expect(called('lines(context.x)', 'a\n'.repeat(parts + 1))).toBe(
    `\`lines\`: there are more than ${parts} parts`,
  );
});

test('an answer about a file is not one about a glob of the same text', () => {
  const answers = { 'files seen': { 'exists a': true } };
  const ask = (text: string) => evaluate(treeOf(text, nativeLanguage), answers, nativeLanguage, 'value');
  expect(ask("exists('a')")).toMatchObject({ ok: true, value: true });
  expect(ask("glob('a')")).toMatchObject({ ok: false, why: { kind: 'unseen', asks: 'glob', file: 'a' } });
});
