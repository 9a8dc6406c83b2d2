import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskerFactory, textMasker } from './mask.ts';

/** The definition: every byte of every occurrence is covered, overlapping occurrences are one replacement. */
function maskWhole(text: string, secrets: readonly string[]): string {
  const spans: [number, number][] = [];
  for (let at = 0; at < text.length; at++) {
    for (const secret of secrets)
      if (secret !== '' && text.startsWith(secret, at)) spans.push([at, at + secret.length]);
  }
  let output = '';
  let position = 0;
  let covered = 0;
  for (const [start, end] of spans) {
    if (start >= covered) output += `${text.slice(position, start)}***`;
    covered = Math.max(covered, end);
    position = covered;
  }
  return output + text.slice(position);
}

function maskChunks(chunks: readonly (string | Buffer)[], secrets: readonly string[]): string {
  const masker = maskerFactory(secrets)();
  const output = chunks.map((chunk) => masker.push(Buffer.from(chunk)));
  return Buffer.concat([...output, masker.flush()]).toString();
}

describe('masker', () => {
  it('masks a secret inside one chunk', () => {
    expect(maskChunks(['token=s3cret; again s3cret.'], ['s3cret'])).toBe('token=***; again ***.');
  });

  it('masks a secret wherever it is cut', () => {
    const text = 'token=s3cret;';
    for (let cut = 0; cut <= text.length; cut++) {
      expect(maskChunks([text.slice(0, cut), text.slice(cut)], ['s3cret'])).toBe('token=***;');
    }
    expect(maskChunks(text.split(''), ['s3cret'])).toBe('token=***;');
  });

  it('gives out the beginning of a secret that does not go on', () => {
    expect(maskChunks(['s3cre', 'dit'], ['s3cret'])).toBe('s3credit');
    expect(maskChunks(['s3cre'], ['s3cret'])).toBe('s3cre');
  });

  it('masks a secret inside the beginning of a longer one, when the longer one comes to nothing', () => {
    expect(maskChunks(['abc', 'x'], ['bc', 'abcd'])).toBe('a***x');
    expect(maskChunks(['abc', 'd'], ['bc', 'abcd'])).toBe('***');
  });

  it('makes one replacement of secrets that overlap and two of neighbours', () => {
    expect(maskChunks(['abcd'], ['abc', 'bcd'])).toBe('***');
    expect(maskChunks(['abab'], ['ab'])).toBe('******');
  });

  it('knows secrets in bytes: characters cut in two, several lines', () => {
    const bytes = Buffer.from('x pässwörd y');
    expect(maskChunks([bytes.subarray(0, 4), bytes.subarray(4)], ['pässwörd'])).toBe('x *** y');
    expect(maskChunks(['a\nKEY', '\nEND\nb'], ['KEY\nEND'])).toBe('a\n***\nb');
  });

  it('knows secrets as JSON spells them, also within a text that JSON quotes again', () => {
    const secret = 'line "one"\nback\\slash é';
    const once = JSON.stringify({ text: `a ${secret} b` });
    expect(maskChunks([once], [secret])).toBe('{"text":"a *** b"}');
    expect(maskChunks(JSON.stringify(once).split(''), [secret])).toBe(JSON.stringify('{"text":"a *** b"}'));
    expect(maskChunks([once.replace('é', '\\u00e9')], [secret])).toBe('{"text":"a *** b"}');
    expect(textMasker([secret])(once)).toBe('{"text":"a *** b"}');
  });

  it('ignores empty secrets and repeated ones', () => {
    expect(maskChunks(['plain'], ['', ''])).toBe('plain');
    expect(maskChunks(['x1x'], ['1', '1'])).toBe('x***x');
  });

  it('does not depend on how the output is cut', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 40 });
    const secrets = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 }), {
      maxLength: 4,
    });
    const check = fc.property(fc.array(letters, { maxLength: 6 }), secrets, (chunks, names) => {
      expect(maskChunks(chunks, names)).toBe(maskWhole(chunks.join(''), names));
    });
    fc.assert(check, { numRuns: 2000 });
  });

  it('holds back less than the longest secret, even where secrets overlap for ever', () => {
    const masker = maskerFactory(['a'.repeat(50), 'b'])();
    let out = 0;
    for (let i = 0; i < 1000; i++) out += masker.push(Buffer.from('a'.repeat(100))).length;
    expect(out).toBe(3);
    expect(masker.push(Buffer.from('c'.repeat(10))).toString()).toBe('c'.repeat(10));
  });
});

describe('textMasker', () => {
  it('masks texts, and gives others back as they are', () => {
    const mask = textMasker(['', 's3cret', 'näh']);
    expect([mask('a s3cret and näh, s3s3cret'), mask('nothing'), mask('lone \ud83d')]).toEqual([
      'a *** and ***, s3***',
      'nothing',
      'lone \ud83d',
    ]);
    expect(textMasker([])('s3cret')).toBe('s3cret');
  });
});
