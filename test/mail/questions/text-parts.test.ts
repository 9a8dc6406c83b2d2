import fc from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { partOf } from '../../../src/mail/questions/text-parts.ts';

const hide = (text: string) => text.replaceAll('top\nsecret', '***');
const reader = (text: string) => (from: number, most: number) =>
  Buffer.from(text).subarray(from, from + most);

/** All parts of a text, one after the other. */
function partsOf(text: string, most: number): string[] {
  const parts: string[] = [];
  for (let after: number | null = 0; after !== null;) {
    const part = partOf(reader(text), after, hide, most);
    if (part === null || part === 'split') throw new Error(`no part at ${String(after)}`);
    parts.push(part.text);
    after = part.next;
  }
  return parts;
}

describe('a long text', () => {
  it('comes in parts of whole lines', () => {
    expect(partsOf('one\ntwo\nthree\n', 9)).toEqual(['one\ntwo\n', 'three\n']);
    expect(partsOf('longer than a part', 7)).toEqual(['longer ', 'than a ', 'part']);
    expect(partsOf('ääää', 3)).toEqual(['ä', 'ä', 'ä', 'ä']);
    expect(partsOf('', 7)).toEqual(['']);
    expect(partOf(() => null, 0, hide)).toBeNull();
  });

  it('shows no half of a secret, wherever a part ends or is asked for', () => {
    expect(partsOf('a\nb\ntop\nsecret\nc\n', 9)).toEqual(['a\nb\n', '***\n', 'c\n']);
    expect(partOf(reader('a\ntop\nsecret\n'), 5, hide)).toBe('split');
    expect(partOf(reader('a\ntop\nsecret\n'), 6, hide)).toBe('split');
  });

  it('is the same text again', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', '\n', 'ä', '🙂', 'word ')),
        fc.integer({ min: 4, max: 30 }),
        (words, most) => {
          expect(partsOf(words.join(''), most).join('')).toBe(words.join(''));
        },
      ),
    );
  });
});
