import fc from '../support/fast-check.ts';
import { expect, test } from 'vitest';
import { expressionLimits } from '../../src/expressions/limits.ts';
import { parse } from '../../src/expressions/parse.ts';
import { nodesOf, type Tree } from '../../src/expressions/tree.ts';
import { exact, loose, problemsOf, treeOf } from './language.ts';

/** A tree with all its parentheses. */
function outline(tree: Tree): string {
  switch (tree.kind) {
    case 'literal':
      return JSON.stringify(tree.value);
    case 'name':
      return tree.name;
    case 'index':
      return `${outline(tree.object)}[${outline(tree.key)}]`;
    case 'not':
      return `!${outline(tree.operand)}`;
    case 'comparison':
    case 'arithmetic':
      return `(${outline(tree.left)} ${tree.operator} ${outline(tree.right)})`;
    case 'logic':
      return `(${tree.operands.map(outline).join(` ${tree.operator} `)})`;
    case 'choice':
      return `(${outline(tree.test)} ? ${outline(tree.whenTrue)} : ${outline(tree.whenFalse)})`;
    case 'call':
      return `${tree.name}(${tree.operands.map(outline).join(', ')})`;
  }
}

test.each([
  ['true', 'true'],
  ['null', 'null'],
  ['-1.5e3', '-1500'],
  ['.5', '0.5'],
  ['0x1F', '31'],
  ["'it''s'", '"it\'s"'],
  ["'a''b''c'", '"a\'b\'c"'],
  ["''", '""'],
  ['env.A', 'env["A"]'],
  ['steps.front-end.values.a', 'steps["front-end"]["values"]["a"]'],
  ['steps.2nd.status', 'steps["2nd"]["status"]'],
  ["steps['a.b'].status", 'steps["a.b"]["status"]'],
  ['steps.true.null', 'steps["true"]["null"]'],
  ['steps[item].x[0]', 'steps[item]["x"][0]'],
  ['fromJSON(env.A).b[1]', 'fromJSON(env["A"])["b"][1]'],
  ['!env.A == env.B', '(!env["A"] == env["B"])'],
  ['1 < 2 == 3 >= 4', '((1 < 2) == (3 >= 4))'],
  ['1 == 2 != 3', '((1 == 2) != 3)'],
  ['1 && 2 || 3 && 4 && 5', '((1 && 2) || (3 && 4 && 5))'],
  ['1 && (2 || 3)', '(1 && (2 || 3))'],
  ['1?2:3', '(1 ? 2 : 3)'],
  ['1 ? 2 : 3 ? 4 : 5', '(1 ? 2 : (3 ? 4 : 5))'],
  ['1 ? 2 ? 3 : 4 : 5', '(1 ? (2 ? 3 : 4) : 5)'],
  ['1 || 2 ? 3 : 4 == 5', '((1 || 2) ? 3 : (4 == 5))'],
  ["contains ( env.A , 'x' )", 'contains(env["A"], "x")'],
  ['\n length(\titem\r\n)', 'length(item)'],
])('%s is read as %s', (text, tree) => {
  expect(outline(treeOf(text))).toBe(tree);
});

test.each([
  ['$.check.passed == true', '($["check"]["passed"] == true)'],
  ['$input.text', '$["input"]["text"]'],
  ['$[\'a\']["b"] != "it\'s"', '($["a"]["b"] != "it\'s")'],
  ['$.0.a >= .5', '($["0"]["a"] >= 0.5)'],
])('in a language with `$`, %s is read as %s', (text, tree) => {
  expect(outline(treeOf(text, exact))).toBe(tree);
  const comparings = nodesOf(treeOf(text, exact)).flatMap((node) =>
    'comparing' in node ? node.comparing : [],
  );
  expect(new Set(comparings)).toEqual(new Set(['exact']));
});

test('every node knows its place in the text', () => {
  const text = "length(steps.a['b']) > 1 ? !item : ( 'x' )";
  const parts = nodesOf(treeOf(text)).map(({ span }) => text.slice(span.start, span.end));
  expect(parts).toEqual([
    "length(steps.a['b']) > 1 ? !item : ( 'x'",
    "length(steps.a['b']) > 1",
    "length(steps.a['b'])",
    "steps.a['b']",
    'steps.a',
    'steps',
    'a',
    "'b'",
    '1',
    '!item',
    'item',
    "'x'",
  ]);
});

test.each([
  ['', ['', '^ the expression is empty']],
  ['  ', ['  ', '  ^ the expression is empty']],
  ['1 ==', ['1 ==', '    ^ the expression ends too early']],
  ['(1', ['(1', '  ^ the expression ends too early: `)` is missing']],
  ['item[0', ['item[0', '      ^ the expression ends too early: `]` is missing']],
  ['1 2', ['1 2', '  ^ unexpected `2`']],
  ["1 'it''s'", ["1 'it''s'", "  ^^^^^^^ unexpected `'it''s'`"]],
  ['1 ? 2', ['1 ? 2', '     ^ the expression ends too early: `:` is missing']],
  ['length(item item)', ['length(item item)', '            ^^^^ unexpected `item`: `)` is missing']],
  ['length(item,)', ['length(item,)', '            ^ unexpected `)`']],
  [
    '(1, 2)',
    ['(1, 2)', '  ^ unexpected `,`: `)` is missing; only the arguments of a function are separated by `,`'],
  ],
  ['item.', ['item.', '     ^ the expression ends too early']],
  ['item.*', ['item.*', '     ^ unexpected `*`; an expression reads one value, and does not calculate']],
  ["'a'.b", ["'a'.b", '   ^ unexpected `.`']],
  ['1 + 2', ['1 + 2', '  ^ unexpected `+`; expressions do not calculate']],
  ['item = 1', ['item = 1', '     ^ unexpected `=`; `==` compares']],
  ['item & 1', ['item & 1', '     ^ unexpected `&`; `&&` means and']],
  ['item | 1', ['item | 1', '     ^ unexpected `|`; `||` means or']],
  ['item and 1', ['item and 1', '     ^^^ unexpected `and`; `&&` means and']],
  ['item == "a"', ['item == "a"', "        ^ unexpected `\"`; strings stand in single quotes: 'text'"]],
  [
    "item == 'a",
    ["item == 'a", '        ^ the string is not closed; a quote inside a string is written twice'],
  ],
  ['item == 1.2.3', ['item == 1.2.3', '        ^^^^^ `1.2.3` is not a number']],
  ['1e999', ['1e999', '^^^^^ `1e999` is not a number']],
  ['$.a', ['$.a', '^ unexpected `$`']],
  ['item\n== 😀', ['2: == 😀', '      ^^ unexpected `😀`']],
  ['step.a', ['step.a', '^^^^ `step` is not defined here; did you mean `steps`?']],
  [
    'constructor',
    [
      'constructor',
      '^^^^^^^^^^^ `constructor` is not defined here; there is `parameters`, `steps`, `env`, `item`',
    ],
  ],
  ['lenght(item)', ['lenght(item)', '^^^^^^ there is no function `lenght`; did you mean `length`?']],
  [
    'eval(item)',
    [
      'eval(item)',
      '^^^^ there is no function `eval`; there is `length`, `contains`, `startsWith`, `endsWith`, `toJSON`, `fromJSON`, `join`, `default`',
    ],
  ],
  ['length()', ['length()', '^^^^^^ `length` takes one argument, not 0']],
  ['contains(1)', ['contains(1)', '^^^^^^^^ `contains` takes 2 arguments, not 1']],
  ['JOIN(1, 2, 3)', ['JOIN(1, 2, 3)', '^^^^ `join` takes 1 to 2 arguments, not 3']],
  ['default(1)', ['default(1)', '^^^^^^^ `default` takes at least 2 arguments, not 1']],
  [
    'foo.a == bar(baz)',
    [
      'foo.a == bar(baz)',
      '^^^ `foo` is not defined here; there is `parameters`, `steps`, `env`, `item`',
      'foo.a == bar(baz)',
      '         ^^^ there is no function `bar`; there is `length`, `contains`, `startsWith`, `endsWith`, `toJSON`, `fromJSON`, `join`, `default`',
      'foo.a == bar(baz)',
      '             ^^^ `baz` is not defined here; there is `parameters`, `steps`, `env`, `item`',
    ],
  ],
])('%j is refused with a mark', (text, lines) => {
  expect(problemsOf(text, parse(text, loose))).toBe(lines.join('\n'));
});

test('namespaces and functions are found whatever their case, and only then', () => {
  expect(parse('STEPS.a && TOJSON(Env)', loose).ok).toBe(true);
  expect(problemsOf('length($)', parse('length($)', exact))).toBe(
    'length($)\n^^^^^^ there is no function `length`; there are none here',
  );
});

const deepest = expressionLimits.depth;

test.each([
  ['parentheses', (levels: number) => '('.repeat(levels - 1) + '1' + ')'.repeat(levels - 1)],
  ['exclamation marks', (levels: number) => '!'.repeat(levels - 1) + '1'],
  ['a path', (levels: number) => `item${'.a'.repeat(levels - 1)}`],
  ['comparisons', (levels: number) => `1${' == 1'.repeat(levels - 1)}`],
  ['choices', (levels: number) => `${'1 ? 2 : '.repeat(levels - 1)}3`],
  ['calls', (levels: number) => `${'length('.repeat(levels - 1)}1${')'.repeat(levels - 1)}`],
  [
    'keys',
    (levels: number) =>
      `${'item['.repeat(Math.floor((levels - 1) / 2))}1${']'.repeat(Math.floor((levels - 1) / 2))}`,
  ],
])('nesting of %s has a limit', (_, nested) => {
  expect(parse(nested(deepest), loose).ok).toBe(true);
  for (const levels of [deepest + 2, 2_000]) {
    const read = parse(nested(levels), loose);
    expect(problemsOf('', read)).toContain(`the expression is nested deeper than ${deepest} levels`);
  }
});

test('a list of operands is not nesting', () => {
  expect(parse(`1${' && 1'.repeat(4_000)}`, loose).ok).toBe(true);
});

test('length has a limit', () => {
  const longest = `'${'x'.repeat(expressionLimits.text - 2)}'`;
  expect(parse(longest, loose).ok).toBe(true);
  for (const text of [`${longest} `, `${longest} == 1`, `''${' '.repeat(expressionLimits.text)}`])
    expect(problemsOf('', parse(text, loose))).toContain(
      `the expression is longer than ${expressionLimits.text} characters`,
    );
});

const fragment = fc.constantFrom(
  ...'steps item env a-b .x [0] ["a"] [ ] ( ) , ? : ! == != < <= > >= && || true null 1 -2 .5 1e5'.split(' '),
  "'it''s'",
  "'",
  '"',
  'length(',
  'default(',
  ' ',
  '\n',
  '$',
  '}}',
  '#',
  '\\',
  'é',
  '\0',
);

test('any text gives a tree or a located problem', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.array(fragment, { maxLength: 30 }).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(texts, fc.constantFrom(loose, exact), (text, language) => {
      const read = parse(text, language);
      const spans = read.ok
        ? nodesOf(read.value).map((node) => node.span)
        : read.problems.map((problem) => problem.span);
      expect(spans.length).toBeGreaterThan(0);
      for (const { start, end } of spans) {
        expect(start).toBeGreaterThanOrEqual(0);
        expect(end).toBeGreaterThanOrEqual(start);
        expect(end).toBeLessThanOrEqual(text.length);
      }
    }),
    { numRuns: 500 },
  );
});
