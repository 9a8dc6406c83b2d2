import fc from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { maskerFactory, maskOf } from '../../../src/process/output/mask.ts';

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

  it('gives out the beginning of a secret that does not continue', () => {
    expect(maskChunks(['s3cre', 'dit'], ['s3cret'])).toBe('s3credit');
    expect(maskChunks(['s3cre'], ['s3cret'])).toBe('s3cre');
  });

  it('masks a secret inside the beginning of a longer one, when the longer one comes to nothing', () => {
    expect(maskChunks(['_a_bbb_ccc', 'x'], ['bbb_ccc', '_a_bbb_cccddd'])).toBe('_a_***x');
    expect(maskChunks(['_a_bbb_ccc', 'ddd'], ['bbb_ccc', '_a_bbb_cccddd'])).toBe('***');
  });

  it('makes one replacement of secrets that overlap and two of neighbours', () => {
    expect(maskChunks(['aaa_bbb_ccc'], ['aaa_bbb', 'bbb_ccc'])).toBe('***');
    expect(maskChunks(['hunter2hunter2'], ['hunter2'])).toBe('******');
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
    expect(maskOf([secret]).text(once)).toBe('{"text":"a *** b"}');
  });

  /** Masked in every two parts alike. */
  function cutAnywhere(text: string, secret: string): string {
    const masked = maskChunks([text], [secret]);
    for (let cut = 1; cut < text.length; cut++)
      expect(maskChunks([text.slice(0, cut), text.slice(cut)], [secret])).toBe(masked);
    expect(maskOf([secret]).text(text)).toBe(masked);
    return masked;
  }

  it.each([
    ['-----BEGIN KEY-----\nMIIEvQIBADANB\nshort\n-----END KEY-----', 'got: MIIEvQIBADANB.', 'got: ***.'],
    ['MIIEvQIBADANB\r\nkiG9w0BAQEFAA\r\n', 'MIIEvQIBADANB kiG9w0BAQEFAA ', '*** *** '],
    ['  MIIEvQIBADANB\r  kiG9w0BAQEFAA', 'kiG9w0BAQEFAA, MIIEvQIBADANB', '***, ***'],
    ['first-line\npassword\nab', 'the password of ab: first-line', 'the password of ab: ***'],
    ['  padded-secret-888  ', 'padded-secret-888', '***'],
    ['\tpadded-secret-888\n', 'x=padded-secret-888;', 'x=***;'],
    ['   pin4  ', 'pin4, spinning pin42', '***, spinning pin42'],
  ])('masks lines of a secret, and it without its blanks: %j', (secret, text, masked) => {
    expect(cutAnywhere(text, secret)).toBe(masked);
    expect(cutAnywhere(secret, secret)).not.toMatch(/\w{6}/);
  });

  it.each(['hunter-two', 'hunter-two!', 'hunter-two!?', 'a>b?c~d~~ÿ', '{"key":\n "value-of-it"}', '9a8b7c'])(
    'masks base64 of %j, whatever stands before and after it',
    (secret) => {
      for (const before of ['', 'u', 'u:', 'me:', 'user:'])
        for (const after of ['', '\n', '@x', '@xyz'])
          for (const encoding of ['base64', 'base64url'] as const) {
            const text = Buffer.from(before + secret + after).toString(encoding);
            const edge = Math.ceil(((before.length + 1) * 8) / 6);
            const masked = cutAnywhere(text, secret);
            expect(masked).toContain('***');
            expect(masked.indexOf('***')).toBeLessThanOrEqual(edge);
            expect(masked.slice(masked.indexOf('***') + 3).length).toBeLessThanOrEqual(after.length * 2 + 3);
          }
    },
  );

  it('masks base64 of a long secret wherever it begins and is broken into lines', () => {
    const secret = Array.from({ length: 20 }, (_, at) => `line-${String(at * 7919)}`).join('\n');
    const encoded = (text: string) => Buffer.from(text).toString('base64');
    for (const before of ['', 'u', 'u:', 'me:', 'a-user-of-this-name:'])
      for (const length of [60, 64, 76]) {
        const text = encoded(before + secret).match(new RegExp(`.{1,${String(length)}}`, 'g')) ?? [];
        const lines = maskChunks([text.join('\r\n')], [secret]).split('\r\n');
        const inner = lines.slice(1, -1).map((line) => line.replace('***', ''));
        expect(inner).toEqual(inner.map(() => ''));
        expect(lines[0]?.replace(/\*\*\*$/, '').length).toBeLessThanOrEqual(encoded(before).length);
        expect(lines.at(-1)?.replace(/^\*\*\*/, '').length).toBeLessThan(20);
      }
    const other = '-----BEGIN CERTIFICATE-----\nMIIB\n';
    expect(maskChunks([encoded(other)], [`-----BEGIN PRIVATE KEY-----\n${secret}`])).toBe(encoded(other));
  });

  it.each([
    ['p@ss/w rd+é', 'p%40ss%2Fw%20rd%2B%C3%A9'],
    ['p@ss/w rd+é', 'p%40ss%2fw+rd%2b%c3%a9'],
    ['p@ss/w rd+é', 'p@ss/w%20rd+%C3%A9'],
    ["it's(a)secret!*", 'it%27s%28a%29secret%21%2A'],
    ["a/b c:d@e=f'g&é~", 'a/b%20c%3Ad%40e%3Df%27g%26%C3%A9~'],
    ["a/b c:d@e=f'g&é~", 'a%2Fb+c%3Ad%40e%3Df%27g%26%C3%A9%7E'],
    ["a/b c:d@e=f'g&é~", 'a%2Fb%20c:d@e=f%27g&%C3%A9~'],
    ["a/b c:d@e=f'g&é~", "a%2Fb%20c%3Ad%40e%3Df'g&%C3%A9~"],
    ["a/b c:d@e=f'g&é~", "a/b%20c:d@e=f'g&%C3%A9~"],
    ['<a&b>"c"\'d\'', `&lt;a&amp;b&gt;"c"'d'`],
    ['<a&b>"c"\'d\'', '&lt;a&amp;b&gt;&quot;c&quot;&#39;d&#39;'],
    ['<a&b>"c"\'d\'', '&lt;a&amp;b&gt;&quot;c&quot;&#x27;d&#x27;'],
    ['<a&b>"c"\'d\'', '&lt;a&amp;b&gt;&quot;c&quot;&apos;d&apos;'],
    ['<a&b>"c"\'d\'', '&lt;a&amp;b&gt;&#34;c&#34;&#39;d&#39;'],
    ["it's(a)secret!*", "it's(a)secret!*"],
    ["it's a $ecret", String.raw`'it'\''s a $ecret'`],
    ["it's a $ecret", `'it'"'"'s a $ecret'`],
    ["it's a $ecret", String.raw`it\'s\ a\ \$ecret`],
    ['say "a" $ecret', String.raw`"say \"a\" \$ecret"`],
    ["tab\tit's\u0001é", String.raw`$'tab\tit\'s\001é'`],
    ["tab\tit's\u0001é", String.raw`$'tab\tit\'s\001\303\251'`],
    ['one,two;three', String.raw`one,two\;three`],
    ['one,two;three', String.raw`one\,two\;three`],
    ['https://x/key-1', String.raw`"https:\/\/x\/key-1"`],
  ])('masks %j as a program quotes it: %s', (secret, quoted) => {
    expect(cutAnywhere(`a ${quoted} b`, secret)).toMatch(/^a (\$?["'])?\*\*\*["']? b$/);
  });

  it('ignores empty secrets and repeated ones', () => {
    expect(maskChunks(['plain'], ['', ''])).toBe('plain');
    expect(maskChunks(['x s3cret s3cret x'], ['s3cret', 's3cret'])).toBe('x *** *** x');
  });

  it('does not depend on how the output is cut', () => {
    const unit = fc.constantFrom('a', 'b');
    const letters = fc.string({ unit, maxLength: 40 });
    const secrets = fc.array(fc.string({ unit, minLength: 6, maxLength: 9 }), { maxLength: 4 });
    const check = fc.property(fc.array(letters, { maxLength: 6 }), secrets, (chunks, names) => {
      expect(maskChunks(chunks, names)).toBe(maskWhole(chunks.join(''), names));
    });
    fc.assert(check, { numRuns: 2000 });
  });

  it('holds back less than the longest secret, even where secrets overlap forever', () => {
    const masker = maskerFactory(['a'.repeat(50), 'bbbbbb'])();
    let out = 0;
    for (let i = 0; i < 1000; i++) out += masker.push(Buffer.from('a'.repeat(100))).length;
    expect(out).toBe(3);
    expect(masker.push(Buffer.from('c'.repeat(10))).toString()).toBe('c'.repeat(10));
  });
});

describe('masker of weak secrets', () => {
  it('masks them where they are whole words, wherever the output is cut', () => {
    const text = 'on, "on" only son on_ (on)\non';
    const masked = '***, "***" only son on_ (***)\n***';
    for (let cut = 0; cut <= text.length; cut++)
      expect(maskChunks([text.slice(0, cut), text.slice(cut)], ['on'])).toBe(masked);
    expect(maskChunks(text.split(''), ['on', 'o'])).toBe(masked);
  });

  it('masks common words, characters that are no letters, and none that is a part of a strong one first', () => {
    expect(maskChunks(['Output output outputs'], ['output'])).toBe('Output *** outputs');
    expect(maskChunks(['a+b c+d'], ['+', 'c+d'])).toBe('a+b ***');
    expect(maskChunks(['key-on-door on'], ['on', 'key-on-door'])).toBe('*** ***');
    expect(maskChunks(['än ähn'], ['ä', 'ähn'])).toBe('än ***');
  });

  it('leaves stars alone', () => {
    expect(maskChunks(['s3cret * ***'], ['s3cret', '*', '***'])).toBe('*** * ***');
  });

  it('does not depend on how the output is cut, and takes nothing else away', () => {
    const unit = fc.constantFrom('a', 'b', ' ', '.', '\n');
    const chunks = fc.array(fc.string({ unit, maxLength: 12 }), { maxLength: 6 });
    const secrets = fc.array(fc.string({ unit, minLength: 1, maxLength: 5 }), { maxLength: 3 });
    const check = fc.property(chunks, secrets, (cut, names) => {
      const text = cut.join('');
      const masked = maskChunks(cut, names);
      expect(masked).toBe(maskChunks([text], names));
      expect(maskOf(names).text(text)).toBe(masked);
      const words = text.split(/[ .\n]+/).filter((word) => word !== '' && !names.includes(word));
      const isWord = names.every((name) => /^[ab]+$/.test(name));
      if (isWord) expect(masked.split(/[ .\n]+/).filter((word) => /[ab]/.test(word))).toEqual(words);
    });
    fc.assert(check, { numRuns: 2000 });
  });
});

describe('maskOf', () => {
  it('masks texts, and gives others back as they are', () => {
    const mask = maskOf(['', 's3cret', 'nähtür', 'on']);
    const texts = ['a s3cret and nähtür, s3s3cret', 'on it', 'nothing', 'half \ud83d'];
    expect(texts.map(mask.text)).toEqual(['a *** and ***, s3***', '*** it', 'nothing', 'half \ud83d']);
    expect(texts.map(mask.name)).toEqual(['a *** and ***, s3***', 'on it', 'nothing', 'half \ud83d']);
    expect(maskOf([]).text('s3cret')).toBe('s3cret');
  });
});
