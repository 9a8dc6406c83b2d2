import { describe, expect, it } from 'vitest';
import { pages, program, proseOf, starters, withoutCode, type Prose } from './prose.ts';
import { loadDictionary, misspelt } from './spelling.ts';
import { findWords } from './words.ts';

const prose = [...pages(), ...starters(), ...program()];

describe('what people read', () => {
  it('has only words of the field', () => {
    expect(prose.length).toBeGreaterThan(10_000);
    expect(findWords(prose)).toEqual([]);
  });

  it('has comments of at most 100 columns', () => {
    const comments = prose.filter(({ kind }) => kind === 'comment');
    expect(comments.length).toBeGreaterThan(4_000);
    const long = comments.filter(({ text }) => text.length > 100);
    expect(long.map(({ file, line }) => `${file}:${String(line)}`)).toEqual([]);
  });

  it('is spelt as the dictionary has it', async () => {
    expect(misspelt(prose, await loadDictionary())).toEqual([]);
  });
});

describe('the check of words', () => {
  const at = (text: string): Prose => ({ file: 'a.md', line: 1, text, kind: 'page' });

  it('names the place, the word and what to write', () => {
    expect(findWords([at('Mend it.'), at('Fix it.')])).toEqual(['a.md:1 Mend: fix, repair, correct']);
  });

  it('lets a word stand where it is right', () => {
    expect(findWords([at('There is no role `qa`, and nothing waits any more.')])).toEqual([]);
  });

  it('finds a misspelt word once, and knows names of code', async () => {
    const known = await loadDictionary();
    const text = 'A mesage and a mesage of `mesages`, E_MESAGE, messageOf and agents/mesage.';
    expect(misspelt([at(text)], known)).toEqual(['a.md:1 mesage']);
  });
});

describe('what is read', () => {
  it('is prose of a page, on its line', () => {
    expect(withoutCode('a `b`\n```sh\nc\n```\n[d](e.md)\n')).toBe('a \n\n\n\n[d]\n');
  });

  it('is comments and sentences of the program, on their lines', () => {
    const source =
      '/** One. */\nconst a = `two ${b("three four")} five`; // Last.\nif (a) {\n  // Six.\n}\nuse("seven", "eight `nine` ten");\n';
    expect(proseOf('a.ts', source).map(({ line, kind, text }) => `${line} ${kind} ${text}`)).toEqual([
      '1 comment /** One. */',
      '2 message two … five',
      '2 message three four',
      '2 comment // Last.',
      '4 comment   // Six.',
      '6 message eight `` ten',
    ]);
  });
});
