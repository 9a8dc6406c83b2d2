import fc from '../support/fast-check.ts';
import { expect, test } from 'vitest';
import { didYouMean, distance, nearest } from '../../src/kernel/nearest.ts';

test.each([
  ['', '', 0],
  ['', 'abc', 3],
  ['engineer', 'engineer', 0],
  ['enginer', 'engineer', 1],
  ['engineerr', 'engineer', 1],
  ['enginear', 'engineer', 1],
  ['form', 'from', 1],
  ['kitten', 'sitting', 3],
  ['ca', 'abc', 3],
])('%j and %j are %d apart', (a, b, apart) => {
  expect(distance(a, b)).toBe(apart);
  expect(distance(b, a)).toBe(apart);
});

const keys = ['from', 'to', 'reply', 'timeout', 'on_timeout', 'fields', 'in_reply_to'];

test.each([
  ['form', 'from'],
  ['time_out', 'timeout'],
  ['onTimeout', 'on_timeout'],
  ['replies', 'reply'],
  ['field', 'fields'],
  ['In-Reply-To', 'in_reply_to'],
  ['tmieuot', 'timeout'],
  ['too', 'to'],
])('%s means %s', (name, meant) => {
  expect(nearest(name, keys)).toBe(meant);
  expect(didYouMean(name, keys)).toBe(`did you mean \`${meant}\`?`);
});

test.each(['', 'subject', 'xyz', 'a', '-', 'x'.repeat(100)])('%j means none of them', (name) => {
  expect(nearest(name, keys)).toBeNull();
  expect(didYouMean(name, keys)).toBeNull();
});

test('a word of one letter means nothing else', () => {
  expect(nearest('b', ['a'])).toBeNull();
});

test('a name is not its own correction', () => {
  expect(nearest('from', ['from', 'form'])).toBe('form');
});

test('a word is near to itself with a letter changed, whatever it is', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-r]{4,20}$/), fc.nat(), (word, at) => {
      const index = at % word.length;
      expect(nearest(`${word.slice(0, index)}z${word.slice(index + 1)}`, [word])).toBe(word);
    }),
  );
});
