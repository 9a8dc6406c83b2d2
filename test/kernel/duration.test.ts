import fc from '../support/fast-check.ts';
import { expect, test } from 'vitest';
import { durationPattern, formatDuration, parseDuration } from '../../src/kernel/duration.ts';

test.each([
  ['200ms', 200],
  ['30s', 30_000],
  ['5m', 300_000],
  ['2h', 7_200_000],
  ['1h30m', 5_400_000],
  ['1d', 86_400_000],
  ['1d2h3m4s5ms', 93_784_005],
  ['90m', 5_400_000],
  ['0s', 0],
])('%s is %d milliseconds', (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds);
  expect(new RegExp(durationPattern).test(text)).toBe(true);
});

test.each([
  '',
  '5',
  'm',
  '-5m',
  '+5m',
  '1.5h',
  '5 m',
  ' 5m',
  '5m ',
  '5m\n',
  '30m1h',
  '1h1h',
  '5M',
  '1w',
  '1e3s',
  '1,5h',
  '٣m',
  '9999999999s',
  '5min',
])('%j is no duration', (text) => {
  expect(parseDuration(text)).toBeNull();
});

test('a duration is written as short as it is read', () => {
  expect([0, 1, 999, 60_000, 90_000, 5_400_000, 86_400_000, 86_461_001].map(formatDuration)).toEqual([
    '0s',
    '1ms',
    '999ms',
    '1m',
    '1m30s',
    '1h30m',
    '1d',
    '1d1m1s1ms',
  ]);
});

test('every duration that is written is read back', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (milliseconds) => {
      expect(parseDuration(formatDuration(milliseconds))).toBe(milliseconds);
    }),
  );
});
