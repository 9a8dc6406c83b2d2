import fc from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { headingsOf } from '../support/markdown.ts';
import { oneLine } from '../../src/kernel/one-line.ts';
import { codeSpan, fenced, firstLineThenFence } from '../../src/kernel/quoting.ts';

const parts = [
  '```',
  '````',
  '~~~',
  '`',
  '\n',
  '\r\n',
  '\u2028',
  '# Orders',
  '## Orders',
  '===',
  '---',
  '> ',
  '- ',
  ' ',
];
const hostile = fc
  .array(fc.constantFrom(...parts, 'words', '\u001b[2J', '\u202e'), { maxLength: 12 })
  .map((all) => all.join(''));

describe('a fence', () => {
  it('is longer than any in the text', () => {
    expect(fenced('a\n```\nb')).toBe('````text\na\n```\nb\n````');
    expect(fenced('a\n', '')).toBe('```\na\n```');
  });

  it('holds whatever text it is given', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(headingsOf(`# Ours\n\n${fenced(text)}\n\n# Ours`)).toEqual(['# Ours', '# Ours']);
      }),
    );
  });
});

describe('a code span', () => {
  it.each([
    ['plain', '`plain`'],
    ['a `b` c', '``a `b` c``'],
    ['``', '``` `` ```'],
    ['', '`  `'],
    ['two\nlines', '`two\\nlines`'],
  ])('of %j is %s', (text, span) => expect(codeSpan(text)).toBe(span));

  it('is one line, with ticks around it that the text has not', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const [, ticks = '', inner = ''] = /^(`+)(.*[^`])\1$/.exec(codeSpan(text)) ?? [];
        expect(inner.match(/`+/g) ?? []).not.toContain(ticks);
        expect(inner.trim()).toBe(oneLine(text).trim());
      }),
    );
  });
});

describe('one line', () => {
  it.each([
    ['two\nlines\r\n', 'two\\nlines'],
    ['\u001b[2J\u009b\u007f', '\\u001b[2J\\u009b\\u007f'],
    ['a\u202eb\u2066c\u200ed\u061ce\u2028f', 'a\\u202eb\\u2066c\\u200ed\\u061ce\\u2028f'],
    ['half \ud83d', 'half \\ud83d'],
    ['whole 😀', 'whole 😀'],
  ])('of %j is %s', (text, line) => expect(oneLine(text)).toBe(line));

  it('is cut between characters', () => expect(oneLine('😀'.repeat(9), 4)).toBe('😀😀😀…'));
});

it('shows the first line of a text, and the rest in a fence', () => {
  expect(firstLineThenFence('E_TURN: it broke\n')).toBe('E_TURN: it broke');
  expect(firstLineThenFence('E_TURN: it broke:\n\n# Orders\n```')).toBe(
    'E_TURN: it broke:\n\n````text\n# Orders\n```\n````',
  );
});
