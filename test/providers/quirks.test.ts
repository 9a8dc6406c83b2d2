import { describe, expect, it } from 'vitest';
import { quirks, quirksOf } from '../../src/providers/quirks.ts';

const advised = (told: string) => quirksOf('opencode', told).filter(({ advice }) => advice !== null).length;

describe('the quirks of a version', () => {
  it.each([
    ['1.18.32', 0],
    ['1.9.0', 0],
    ['1.18.33', 1],
    ['opencode 1.18.33-nightly', 1],
    ['1.18.34', 1],
    ['2.0.0', 1],
  ])('%s: %i that the person must know', (told, count) => {
    expect(advised(told)).toBe(count);
  });

  it('are all of them where no version is told', () => {
    expect(quirksOf('opencode', 'beta')).toEqual(quirks.opencode);
  });
});
