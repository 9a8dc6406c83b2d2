import { expect, it } from 'vitest';
import { Overlaps } from '../../src/host/overlaps.ts';

it('tells who was not alone with somebody that may change the same folder', () => {
  const overlaps = new Overlaps();
  overlaps.begin('before', 'a', true);
  overlaps.begin('reader', 'a', false);
  overlaps.begin('elsewhere', 'b', false);
  expect(overlaps.end('before')).toBe(false);
  overlaps.begin('other reader', 'a', false);
  expect(overlaps.end('reader')).toBe(true);
  expect(overlaps.end('other reader')).toBe(false);
  overlaps.begin('late reader', 'a', false);
  overlaps.begin('after', 'a', true);
  expect(overlaps.end('late reader')).toBe(true);
  expect(overlaps.end('elsewhere')).toBe(false);
  expect(overlaps.end('never begun')).toBe(false);
});
