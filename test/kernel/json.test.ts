import fc from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import {
  isExactNumber,
  parseExactJson,
  parseJson,
  readExactJson,
  syntaxProblem,
} from '../../src/kernel/json.ts';

describe('a number that is read exactly', () => {
  it.each([
    ['0', true],
    ['-0.0', true],
    ['120.50', true],
    ['1E3', true],
    ['0.1', true],
    ['9007199254740992', true],
    ['9007199254740993', false],
    ['1e400', false],
    ['1e-400', false],
    ['0.1000000000000000055511151231257827', false],
  ])('is %s: %s', (figure, exact) => {
    expect(isExactNumber(figure)).toBe(exact);
  });

  it('is any that a program writes', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) =>
        isExactNumber(String(value)),
      ),
    );
  });
});

it('reads JSON unless a number in it would be another one; digits in a text are no number', () => {
  expect(parseExactJson('{"a":[1.5,"9007199254740993"]}')).toEqual({ a: [1.5, '9007199254740993'] });
  for (const text of ['{"a":[9007199254740993]}', '1e400', '{"a":'])
    expect(parseExactJson(text)).toBeUndefined();
});

it('names the first number that cannot be kept, and its place', () => {
  expect(readExactJson('{"a": 1,\n "b": [2, 1e400, 9007199254740993]}')).toEqual({
    ok: false,
    problem:
      '`1e400` (line 2, column 11) is a number that cannot be kept exactly; quote it to keep its digits',
  });
  expect(readExactJson('[1')).toEqual({ ok: false, problem: 'it is not JSON' });
  expect(readExactJson('\ufeff[1e400]')).toMatchObject({
    problem: expect.stringContaining('(line 1, column 2)'),
  });
  expect(readExactJson('[[-0]]', 1)).toEqual({ ok: false, problem: 'it is nested more than 1 levels deep' });
});

it('names a key that is given twice, however it is written, and its place', () => {
  for (const text of ['{"a": 1,\n "b": {"c": 1, "c": 2}}', '{"a": [],\n "b": {"c": 1, "\\u0063": 2}}'])
    expect(readExactJson(text)).toEqual({
      ok: false,
      problem: 'the key `c` is given twice (line 2, column 16)',
    });
  expect(
    readExactJson('{"a": {"b": 1}, "b": {"a": "{\\"a\\":1}"}, "c": [{"a": 1}, {"a": 1}]}'),
  ).toMatchObject({
    ok: true,
  });
});

it('reads values that are the same after they were written and read back', () => {
  const figure = fc.stringMatching(/^-?(0|[1-9]\d{0,20})(\.\d{1,20})?(e[+-]?\d{1,3})?$/);
  const text = fc.oneof(
    fc.json(),
    figure,
    figure.map((each) => `{"a":[${each},{"__proto__":${each}}]}`),
  );
  fc.assert(
    fc.property(text, (written) => {
      const read = readExactJson(written);
      if (read.ok) expect(JSON.parse(JSON.stringify(read.value))).toStrictEqual(read.value);
    }),
  );
  expect(readExactJson('[-0, {"a": -0.0e1}]')).toStrictEqual({ ok: true, value: [0, { a: 0 }] });
});

it('reads over a byte order mark at the beginning, and only there', () => {
  expect(parseJson('\ufeff{"a": 1}')).toEqual({ a: 1 });
  expect(parseExactJson('\ufeff[1]')).toEqual([1]);
  for (const text of ['\ufeff\ufeff1', '[\ufeff1]', '\ufeff']) expect(parseJson(text)).toBeUndefined();
});

describe('what is not JSON', () => {
  it.each([
    ['{"a": 1,\n "b": 2,\n}', 'line 3, column 1: expected no comma before `}`: }'],
    ['[1,\n 2, ]', 'line 2, column 5: expected no comma before `]`: 2, ]'],
    ["{'a': 1}", "line 1, column 2: expected a key in double quotes: {'a': 1}"],
    ['{a: 1}', 'line 1, column 2: expected a key in double quotes: {a: 1}'],
    ['{"a" 1}', 'line 1, column 6: expected `:`: {"a" 1}'],
    ['\ufeff{"a": }', 'line 1, column 7: expected a value; strings need double quotes: {"a": }'],
    ['{"a": NaN}', 'line 1, column 7: expected a value; strings need double quotes: {"a": NaN}'],
    ['{"a": truely}', 'line 1, column 7: expected a value; strings need double quotes: {"a": truely}'],
    ['{"a": 01}', 'line 1, column 8: expected `,` or `}`: {"a": 01}'],
    ['[1 2]', 'line 1, column 4: expected `,` or `]`: [1 2]'],
    ['{"a": 1', 'line 1, column 8: expected `,` or `}` before its end: {"a": 1'],
    ['', 'line 1, column 1: expected a value; strings need double quotes before its end'],
    ['1 2', 'line 1, column 3: expected nothing after the value: 1 2'],
    [
      '["x\ny"]',
      String.raw`line 1, column 4: expected the " that ends the string (a line break in it is \n, a tab \t): ["x`,
    ],
    [
      String.raw`["\x"]`,
      String.raw`line 1, column 3: expected one of the escapes \" \\ \/ \b \f \n \r \t \u0000: ["\x"]`,
    ],
  ])('%j is named with its place, what would be right, and its line', (text, problem) => {
    expect(syntaxProblem(text)).toBe(`it is not JSON: ${problem}`);
  });

  it('shows of a long line the part around the place', () => {
    const line = `[${'1,'.repeat(100)}x,${'2,'.repeat(1000)}`;
    expect(syntaxProblem(line)).toBe(
      `it is not JSON: line 1, column 202: expected a value; strings need double quotes: ${'1,'.repeat(25)}x,${'2,'.repeat(24)}`,
    );
  });

  it('is found exactly where the engine finds something', () => {
    const broken = fc
      .tuple(
        fc.json(),
        fc.nat(),
        fc.constantFrom(',', '}', '"', '\\', ':', '1', ' ', '\n', '-', 'e', '\u0001'),
      )
      .map(([text, at, piece]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + piece + text.slice(at % 2 === 0 ? place : place + 1);
      });
    fc.assert(
      fc.property(fc.oneof(broken, fc.json(), fc.string()), (text) => {
        expect(syntaxProblem(text) === null).toBe(parseJson(text) !== undefined);
      }),
    );
  });
});
