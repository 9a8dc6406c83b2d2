import fc from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { isExactNumber, parseExactJson, readExactJson } from '../../src/kernel/json.ts';

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
  expect(readExactJson('[[-0]]', 1)).toEqual({ ok: false, problem: 'it is nested more than 1 levels deep' });
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
