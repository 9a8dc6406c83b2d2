import { expect, it, test } from 'vitest';
import { evaluate } from '../../src/expressions/evaluate.ts';
import { parse } from '../../src/expressions/parse.ts';
import { nativeLanguage } from '../../src/workflow/machine/language.ts';
import { exact, loose, problemsOf, treeOf, valueOf } from './language.ts';

const context = {
  parameters: {
    n: 7,
    half: 0.5,
    text: '3',
    most: Number.MAX_SAFE_INTEGER,
    tiny: 1e-200,
    none: null,
    zero: 0,
  },
  steps: { 'a-b': { values: { 'n-1': 5, n: 2, list: [1, 2] } } },
};

test.each([
  ['1 + 2 * 3', 7],
  ['(1 + 2) * 3', 9],
  ['10 - 4 - 3', 3],
  ['12 / 3 / 2', 2],
  ['3 / 2', 1.5],
  ['2 * 3 + 4 * 5', 26],
  ['1 + 1 == 2 && 3 - 1 < 3', true],
  ['-parameters.n', -7],
  ['- 5 + 2', -3],
  ['-(1 + 2)', -3],
  ['2 - -3', 5],
  ['2 * -3', -6],
  ['!(1 - 1)', true],
  ['1-1', 0],
  ['2+3', 5],
  ['0 * -1', 0],
  ['1e3-1', 999],
  ['length(steps.a-b.values.list)-1', 1],
  ['steps.a-b.values.list[0]-1', 0],
  ['steps.a-b.values.list[length(steps.a-b.values.list) - 1]', 2],
  ['parameters.n -1', 6],
  ['parameters.n - 1', 6],
  ['parameters.n+1', 8],
  ['steps.a-b.values.n-1', 5],
  ['steps.a-b.values.n - 1', 1],
  ['parameters.n - floor(parameters.n / 3) * 3', 1],
  ['floor(-1.5)', -2],
  ['parameters.most - 1 + 1', Number.MAX_SAFE_INTEGER],
  ['number(parameters.text) * 2', 6],
])('%s is %j', (text, value) => {
  expect(valueOf(text, context, nativeLanguage)).toBe(value);
});

test.each([
  ['-parameters.most - 1', 'the result of -9007199254740991 - 1 cannot be kept exactly'],
  ['parameters.most + 1', 'the result of 9007199254740991 + 1 cannot be kept exactly'],
  ['parameters.most * 2', 'the result of 9007199254740991 * 2 cannot be kept exactly'],
  ['-parameters.most - 2', 'the result of -9007199254740991 - 2 cannot be kept exactly'],
  ['parameters.tiny * parameters.tiny', 'the result of 1e-200 * 1e-200 cannot be kept exactly'],
  ['parameters.n / parameters.zero', '7 / 0 divides by zero'],
  [
    'parameters.text + 1',
    "`+` cannot work with a string: `format('{0}{1}', a, b)` puts strings together; `number(…)` reads a string as a number",
  ],
  ['1 * parameters.text', '`*` cannot work with a string: `number(…)` reads a string as a number'],
  ['parameters.none + 1', '`+` cannot work with null: only numbers are calculated with'],
  ['floor(parameters.text)', '`floor`: it is not a number'],
])('%s has no value', (text, message) => {
  expect(evaluate(treeOf(text, nativeLanguage), context, nativeLanguage, 'value')).toEqual({
    ok: false,
    why: { kind: 'failed', message, span: { start: 0, end: text.length } },
  });
});

test.each([
  ['1 / 0', ['1 / 0', '^^^^^ 1 / 0 divides by zero']],
  ['parameters.n / (1 - 1)', ['parameters.n / (1 - 1)', '^^^^^^^^^^^^^^^^^^^^^ it divides by zero']],
  [
    '9007199254740991 + 1',
    [
      '9007199254740991 + 1',
      '^^^^^^^^^^^^^^^^^^^^ the result of 9007199254740991 + 1 cannot be kept exactly',
    ],
  ],
  ['null - 1', ['null - 1', '^^^^^^^^ `-` cannot work with null: only numbers are calculated with']],
  [
    'parameters-1',
    [
      'parameters-1',
      '^^^^^^^^^^^^ `parameters-1` is not defined here; a minus has blanks around it: `parameters - 1`',
    ],
  ],
  [
    'parameters.n- 1',
    ['parameters.n- 1', '              ^ unexpected `1`; a minus has blanks around it: `n - …`'],
  ],
  [
    'parameters.*',
    ['parameters.*', '           ^ unexpected `*`; an expression reads one value: there is no `.*`'],
  ],
  ['1 +', ['1 +', '   ^ the expression ends too early']],
  ['1 + + 2', ['1 + + 2', '    ^ unexpected `+`']],
  [
    '7 % 2',
    [
      '7 % 2',
      '  ^ unexpected `%`; there are `+`, `-`, `*` and `/`; the rest of n / 3 is `n - floor(n / 3) * 3`',
    ],
  ],
  [
    "format('{0} {1}', 1)",
    ["format('{0} {1}', 1)", '       ^^^^^^^^^ there is no value for `{1}`: the first is `{0}`'],
  ],
  ["format('{')", ["format('{')", '       ^^^ a brace itself is written `{{`']],
  ["format('a}', 1)", ["format('a}', 1)", '       ^^^^ a brace itself is written `}}`']],
  ["format('{x}', 1)", ["format('{x}', 1)", '       ^^^^^ a brace itself is written `{{`']],
])('%s is refused', (text, lines) => {
  expect(problemsOf(text, parse(text, nativeLanguage)).split('\n')).toEqual(lines);
});

it('ends at the depth of an expression', () => {
  expect(parse(Array.from({ length: 60 }, () => '1').join(' + '), nativeLanguage)).toMatchObject({
    ok: false,
  });
});

it.each([loose, exact])('belongs to one language', (language) => {
  for (const text of ['1 + 2', '1 - 2', '1 * 2', '1 / 2', '- 1', '1 -1'])
    expect(parse(text, language)).toMatchObject({ ok: false });
});

test.each([
  ["format('{0} of {1}', 1, parameters.n)", '1 of 7'],
  ["format('{1}{0}{1}', 'a', 'b')", 'bab'],
  ["format('{{0}} {{{0}}}', 'a')", '{0} {a}'],
  ["format('{0}{1}{2}', null, true, fromJSON('[1]'))", 'true[1]'],
  ["format('{0}', '{1}')", '{1}'],
  ['format(parameters.text)', '3'],
  ["format('')", ''],
])('%s is %j', (text, value) => {
  expect(valueOf(text, context, nativeLanguage)).toBe(value);
});

it('finds a missing value of a format that is read', () => {
  const given = { parameters: { text: '{2}' } };
  expect(
    evaluate(treeOf('format(parameters.text, 1)', nativeLanguage), given, nativeLanguage, 'value'),
  ).toMatchObject({
    ok: false,
    why: { message: '`format`: there is no value for `{2}`: the first is `{0}`' },
  });
});
