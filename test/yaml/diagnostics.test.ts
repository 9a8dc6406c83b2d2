import { diagnosticDocument } from '../../src/project/definition/problems.ts';
import { describe, expect, test } from 'vitest';
import type { Diagnostic, Place } from '../../src/kernel/diagnostic.ts';
import { inOrder, renderDiagnostic, renderDiagnostics } from '../../src/yaml/diagnostics.ts';

function at(text: string, column: number, length: number): Place {
  return { file: 'a.yaml', line: 7, column, length, text };
}

function diagnostic(place: Place | null, hint: string | null = null): Diagnostic {
  return { code: 'E_VALUE', severity: 'error', message: 'it is wrong', place, hint };
}

describe('for people', () => {
  test('the place, what is wrong, the line with a mark, the hint', () => {
    expect(renderDiagnostic(diagnostic(at('from: [enginer]', 8, 7), 'did you mean `engineer`?'))).toBe(
      [
        'a.yaml:7:8: error E_VALUE: it is wrong',
        '  from: [enginer]',
        '         ^^^^^^^',
        'hint: did you mean `engineer`?',
      ].join('\n'),
    );
  });

  test('without a place or a hint, only what there is', () => {
    expect(renderDiagnostic(diagnostic(null))).toBe('error E_VALUE: it is wrong');
  });

  test('of a word of any length the beginning', () => {
    const long = (letter: string) => `\`${letter.repeat(200_000)}\` is long`;
    expect(renderDiagnostic({ ...diagnostic(null, long('y')), message: long('x') })).toBe(
      `error E_VALUE: \`${'x'.repeat(299)}… is long\nhint: \`${'y'.repeat(299)}… is long`,
    );
  });

  test('several, an empty line between them', () => {
    const warning = { ...diagnostic(null), severity: 'warning' as const };
    expect(renderDiagnostics([diagnostic(null), warning])).toBe(
      'error E_VALUE: it is wrong\n\nwarning E_VALUE: it is wrong',
    );
  });

  test('tabs before the place are kept, so that the mark stands under it', () => {
    expect(
      renderDiagnostic(diagnostic(at('\ta:\tb', 5, 1)))
        .split('\n')
        .slice(1),
    ).toEqual(['  \ta:\tb', '  \t  \t^']);
  });

  test('of a long line the part around the place, the mark cut with it', () => {
    const text = `${'a'.repeat(500)}${'b'.repeat(500)}`;
    const [, line, mark] = renderDiagnostic(diagnostic(at(text, 501, 500))).split('\n');
    expect(line).toBe(`  …${'a'.repeat(40)}${'b'.repeat(120)}…`);
    expect(mark).toBe(`  ${' '.repeat(41)}${'^'.repeat(120)}`);
    expect(
      renderDiagnostic(diagnostic(at(text, 1, 1)))
        .split('\n')
        .slice(1),
    ).toEqual([`  ${'a'.repeat(160)}…`, '  ^']);
    expect(
      renderDiagnostic(diagnostic(at(text, 1000, 1)))
        .split('\n')
        .slice(1),
    ).toEqual([`  …${'b'.repeat(41)}`, `  ${' '.repeat(41)}^`]);
  });

  test('nothing of the text controls the terminal', () => {
    const text = 'a: \u001b[31m\u0007\u009b';
    expect(renderDiagnostic(diagnostic(at(text, 4, 1))).split('\n')[1]).toBe('  a: \ufffd[31m\ufffd\ufffd');
    const message = { ...diagnostic(null, '\u001b]8;;x'), message: 'no \u001b[2J\n  more' };
    expect(renderDiagnostic(message)).toBe('error E_VALUE: no \ufffd[2J\n  more\nhint: \ufffd]8;;x');
  });
});

test('for programs', () => {
  expect(diagnosticDocument(diagnostic(at('name: xyz', 7, 3), 'h'))).toEqual({
    code: 'E_VALUE',
    severity: 'error',
    message: 'it is wrong',
    file: 'a.yaml',
    line: 7,
    column: 7,
    endLine: 7,
    endColumn: 10,
    hint: 'h',
  });
  expect(diagnosticDocument({ ...diagnostic(null), severity: 'warning' })).toEqual({
    code: 'E_VALUE',
    severity: 'warning',
    message: 'it is wrong',
    file: null,
    line: null,
    column: null,
    endLine: null,
    endColumn: null,
    hint: null,
  });
});

test('in order: no place, then by file, line, column, errors before warnings', () => {
  const make = (
    file: string,
    line: number,
    column: number,
    severity: 'error' | 'warning' = 'error',
  ): Diagnostic => ({
    ...diagnostic({ file, line, column, length: 1, text: '' }),
    severity,
  });
  const sorted = [
    diagnostic(null),
    make('b.yaml', 1, 1),
    make('a.yaml', 1, 5),
    make('a.yaml', 1, 5, 'warning'),
    make('a.yaml', 1, 20),
    make('a.yaml', 10, 1),
  ];
  expect(inOrder(sorted.toReversed(), ['b.yaml', 'a.yaml'])).toEqual(sorted);
});
