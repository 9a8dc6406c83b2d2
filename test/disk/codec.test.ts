import fc from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { emptyState } from '../../src/mail/machine/state.ts';
import { decode, encode, longText } from '../../src/disk/codec.ts';
import type { TextStore } from '../../src/disk/codec.ts';
import { assertEqual } from './samples.ts';

function memoryTexts(): TextStore & { readonly kept: Map<string, string> } {
  const kept = new Map<string, string>();
  return {
    kept,
    put: (text) => {
      const name = `text-${kept.size}`;
      kept.set(name, text);
      return name;
    },
    get: (name) => kept.get(name) ?? '',
  };
}

function through(value: unknown, texts: TextStore | null = null): unknown {
  return decode(JSON.parse(JSON.stringify(encode(value, texts))), texts);
}

const keys = fc.oneof(
  fc.string(),
  fc.constantFrom('$map', '$set', '$blob', '$', '$$map', '__proto__', 'constructor'),
);
const values = fc.letrec((tie) => ({
  leaf: fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc.boolean(),
    fc.constant(null),
  ),
  value: fc.oneof(
    { depthSize: 'small' },
    tie('leaf'),
    fc.array(tie('value')),
    fc.dictionary(keys, tie('value'), { noNullPrototype: true }),
    fc.array(fc.tuple(tie('leaf'), tie('value'))).map((pairs) => new Map(pairs)),
    fc.array(tie('leaf')).map((items) => new Set(items)),
  ),
})).value;

describe('encode and decode', () => {
  it('give back any value made of what a state is made of', () => {
    fc.assert(fc.property(values, (value) => assertEqual(through(value), value)));
  });

  it('give back a state, with its maps and sets in their order', () => {
    const state = emptyState();
    state.deadlines.set('b', 2).set('a', 1);
    state.possiblyQuiet.add('z').add('y');
    state.paused.roles.set('qa', { by: 'ada', at: 1 });
    const back = through(state) as typeof state;
    expect(back).toStrictEqual(state);
    expect([...back.deadlines.keys(), ...back.possiblyQuiet]).toEqual(['b', 'a', 'z', 'y']);
  });

  it('keep long texts beside, and only those', () => {
    const texts = memoryTexts();
    const value = {
      long: 'x'.repeat(longText + 1),
      limit: 'y'.repeat(longText),
      deep: new Map([['k', ['z'.repeat(longText + 1)]]]),
    };
    expect(through(value, texts)).toStrictEqual(value);
    expect([...texts.kept.values()].map((text) => text[0])).toEqual(['x', 'z']);
  });

  it('keep a long text that UTF-8 cannot carry where it is', () => {
    const texts = memoryTexts();
    const value = `${'x'.repeat(longText)}\udc80`;
    expect(through(value, texts)).toBe(value);
    expect(texts.kept.size).toBe(0);
  });

  it('leave out what is undefined, and refuse what no journal can hold', () => {
    expect(through({ a: undefined, b: 1 })).toStrictEqual({ b: 1 });
    const refused = expect.objectContaining({ code: 'E_INTERNAL' });
    for (const value of [NaN, Infinity, () => 1, 1n, Symbol('s'), undefined]) {
      expect(() => encode([value])).toThrowError(refused);
    }
  });

  it('refuse marks of a later version', () => {
    const refused = expect.objectContaining({ code: 'E_JOURNAL', message: expect.stringMatching(/\$date/) });
    expect(() => decode({ $date: 1 })).toThrowError(refused);
    expect(() => decode({ $map: 1 })).toThrowError(/\$map/);
    expect(() => decode({ $blob: 'name' })).toThrowError(/\$blob/);
  });
});
