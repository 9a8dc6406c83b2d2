import { describe, expect, it } from 'vitest';
import { quirks, quirksOf } from './quirks.ts';

const advised = (told: string) => quirksOf('gemini', told).filter(({ advice }) => advice !== null).length;

describe('the quirks of a version', () => {
  it.each([
    ['0.60.9', 0],
    ['0.9.0', 0],
    ['0.61.0', 1],
    ['gemini 0.61.0-nightly', 1],
    ['0.61.1', 1],
    ['1.0.0', 1],
  ])('%s: %i that the person must know', (told, count) => {
    expect(advised(told)).toBe(count);
  });

  it('are all of them where no version is told', () => {
    expect(quirksOf('gemini', 'beta')).toEqual(quirks.gemini);
  });
});
