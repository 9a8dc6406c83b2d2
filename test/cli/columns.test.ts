import fc from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { cut, width, wrap } from '../../src/cli/columns.ts';

describe('lines that are wider than the terminal', () => {
  it('are broken at spaces, and continue below their last column', () => {
    const text = '✓ sandbox      an agent sees the system, its project and its own settings\nshort\n';
    expect(wrap(text, 40)).toBe(
      [
        '✓ sandbox      an agent sees the system,',
        '               its project and its own',
        '               settings',
        'short',
        '',
      ].join('\n'),
    );
    expect(wrap('hint: the providers are claude, codex, gemini', 30)).toBe(
      'hint: the providers are\n  claude, codex, gemini',
    );
  });

  it('put a last column that begins beyond the middle below, whole', () => {
    const table = [
      'ROLE      STATE    INBOX  TURNS  NOW',
      'user      idle         0      0',
      'engineer  waiting      1      2  waits for user for 2m',
      'qa        running      0      1  t3 runs',
    ];
    expect(wrap(table.join('\n'), 50)).toBe(
      [...table.slice(0, 2), table[2]?.slice(0, 31), '  waits for user for 2m', table[3]].join('\n'),
    );
  });

  it('keep what can be copied in one piece', () => {
    const text = 'recorded; no controller runs, the next `mailroom up --until-idle` takes it';
    expect(wrap(text, 40)).toBe(
      'recorded; no controller runs, the next\n  `mailroom up --until-idle` takes it',
    );
    const command = `  command  mailroom reply 6ef362 --field 'verdict=good|bad' --message "…"`;
    expect(wrap(command, 40)).toBe(command);
    const path = `folder     /tmp/${'x'.repeat(60)}`;
    expect(wrap(path, 40)).toBe(path);
    const fits = `stdout     .mailroom/turns/${'x'.repeat(20)}`;
    expect(wrap(fits, 40)).toBe(`stdout\n  ${fits.slice(11)}`);
    expect(wrap(`${fits}  (copy)`, 37)).toBe(`stdout\n ${fits.slice(11)}\n  (copy)`);
    const long = `run \`mailroom send architect --message ${'x'.repeat(60)}\``;
    expect(wrap(long, 60)).toBe(`run\n  ${long.slice(4)}`);
  });

  it('show the part around a place that is marked in them', () => {
    const words = Array.from({ length: 20 }, (_, index) => `word${String(index).padStart(2, '0')}`).join(' ');
    const marked = (word: string) => `  ${words}\n  ${' '.repeat(words.indexOf(word))}^^^^^^`;
    expect(wrap(marked('word01'), 40)).toBe('  word00 word01 word02 word03 word04 wo…\n         ^^^^^^');
    expect(wrap(marked('word10'), 40)).toBe(
      '  …ord07 word08 word09 word10 word11 wo…\n                       ^^^^^^',
    );
    expect(wrap(marked('word19'), 30)).toBe('  … word17 word18 word19\n                  ^^^^^^');
    // Columns are not counted where a character may take several of them.
    const wide = `  ${'日本 '.repeat(20)}\n  ^^`;
    expect(wrap(wide, 40)).toBe(wide);
  });

  it('count no colours', () => {
    const text = `\u001b[31m${'word '.repeat(12).trim()}\u001b[39m`;
    expect(wrap(text, 59)).toBe(text);
    expect(wrap(text, 58).split('\n')).toHaveLength(2);
  });

  it.each([60, 80])('lose no word, break none, and fit into %i columns', (columns) => {
    const word = fc.oneof(
      fc.stringMatching(/^[a-z.,;()日é]{1,12}$/),
      fc.constant('`mailroom send x --to y`'),
    );
    const line = fc
      .tuple(fc.constantFrom('', '  ', '✓ topic    ', 'error E_X: '), fc.array(word, { minLength: 1 }))
      .map(([start, words]) => start + words.join(' '));
    fc.assert(
      fc.property(line, (text) => {
        const wrapped = wrap(text, columns);
        expect(wrapped.split('\n').every((each) => width(each) <= columns)).toBe(true);
        expect(wrapped.split(/\s+/)).toEqual(text.split(/\s+/));
        expect(wrapped.match(/`[^`]*`/g)).toEqual(text.match(/`[^`]*`/g));
      }),
    );
  });
});

it('cuts a text between characters', () => {
  expect(cut('日本語', 5)).toBe('日本…');
  expect(cut('日本語', 6)).toBe('日本語');
});
