import fc from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { isExactNumber, parseExactJson } from '../../src/kernel/json.ts';

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
