import fc from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { withLineEnds } from '../../../src/yaml/edit/line-ends.ts';

describe('the line ends of an edited text', () => {
  it.each([
    ['all of one kind', 'a\r\nb\r\nc\r\n', 'a\nB\nx\nc\n', 'a\r\nB\r\nx\r\nc\r\n'],
    ['line feeds', 'a\nb\n', 'a\nB\n', 'a\nB\n'],
    ['mixed, around the change', 'a\r\nb\nc\r\nd\n', 'a\nb\nC\nd\n', 'a\r\nb\nC\r\nd\n'],
    ['mixed, behind removed lines', 'a\nb\r\nc\nd\r\n', 'a\nd\n', 'a\nd\r\n'],
    ['a byte order mark', '\ufeffa\r\nb\r\n', 'a\nc\n', '\ufeffa\r\nc\r\n'],
    ['a mark before line feeds', '\ufeffa\n', 'b\n', '\ufeffb\n'],
    ['no line end at the end', 'a\r\nb', 'a\nb\nc', 'a\r\nb\r\nc'],
    ['a removed last line end', 'a\r\nb\r\n', 'a\nb', 'a\r\nb'],
    ['an added last line end', 'a\r\nb', 'a\nb\n', 'a\r\nb\r\n'],
    ['lines that repeat', 'x\r\nx\nx\r\n', 'x\nx\nx\nx\n', 'x\r\nx\nx\r\nx\r\n'],
    ['carriage returns that somebody has typed', 'a\r\nb\r\n', 'a\r\nb\n', 'a\r\nb\n'],
    ['nothing left', 'a\r\n', '', ''],
  ])('stay as they were: %s', (_what, before, text, after) => {
    expect(withLineEnds(text, before)).toBe(after);
  });

  it('give the same text again where an editor has changed nothing', () => {
    const line = fc.tuple(fc.constantFrom('', 'a', 'b: 1'), fc.constantFrom('\n', '\r\n'));
    fc.assert(
      fc.property(fc.boolean(), fc.array(line), fc.constantFrom('', 'end'), (mark, lines, last) => {
        const text = (mark ? '\ufeff' : '') + lines.map((each) => each.join('')).join('') + last;
        expect(withLineEnds(text.replaceAll('\r\n', '\n').replace('\ufeff', ''), text)).toBe(text);
      }),
    );
  });
});
