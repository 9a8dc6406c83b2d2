import fc from '../support/fast-check.ts';
import { describe, expect, test } from 'vitest';
import { readPlainText } from '../../src/yaml/plain-blocks.ts';
import { parseYaml } from '../../src/yaml/yaml.ts';

/** What the parser reads; null where it refuses. */
function parsed(text: string): unknown {
  const yaml = parseYaml(text, 'm.md');
  return yaml.ok ? yaml.value.value : null;
}

test.each([
  'type: review-request\nto: qa\n',
  'id: 01930f5e-7b1c-7def-8a3b-0123456789ab\ncreated: 2026-11-21T20:45:12.000Z\n',
  'subject: Review of the parser, again (twice)\nto: [qa, user]\n',
  "subject: Don't panic: née\n".replace(': n', ' — n'),
  'subject: Is it done? Yes!\n',
  'subject: "a: b \\u00e9 \\n"\n',
  'fields:\n  verdict: approved\n  rounds: 3\n  done: true\n  list: [a b, "c, d", 4]\n  map: { a: { b: [] }, c: {} }\nextra: 0\n',
  'fields: { verdict: changes_requested, n: 12 }\n',
])('plain front matter is read without the parser: %j', (text) => {
  expect(readPlainText(text)).not.toBeNull();
  expect(readPlainText(text)).toEqual(parsed(text));
});

test.each([
  // The parser refuses it.
  `${'k'.repeat(1_025)}: 1\n`,
  'a: b: c\n',
  'a: b #c\n',
  'a: b \n',
  'a:  b\n',
  'a: b\n  c\n',
  'a: b\n\nc: d\n',
  'a:\n',
  'a:\n- b\n',
  'a: |\n  b\n',
  'a: 007\n',
  'a: 1e3\n',
  'a: 1.5\n',
  'a: -1\n',
  'a: True\n',
  'a: null\n',
  'a: ~\n',
  "a: 'b'\n",
  'a: &b c\n',
  'a: *b\n',
  'a: !b c\n',
  'a: b\na: c\n',
  '__proto__: a\n',
  'a: [b,c]\n',
  'a: [b, c\n',
  'a: [b, ]\n',
  'a: {b: c}\n',
  'a: { b: c\n',
  'a: { b:c }\n',
  'a: { b: c, b: d }\n',
  'a: "b\n',
  'a: "b" c\n',
  'a: "\\x41"\n',
  'a: [01]\n',
  'a: [1 2]\n',
  'a: [b: c]\n',
  'a: %b\n',
  '%YAML 1.2\n',
  '--- \n',
  '...\n',
  '# a\n',
  'a\n',
  ' a: b\n',
  '  a: b\n',
  'a:\n    b: c\n',
  'a:\n  b: c\n   d: e\n',
  'a:\n  b: c\n d: e\n',
  'a:\n  b:\n',
  'a: b\r\n',
  'a:\tb\n',
  '? a\n',
  'a : b\n',
  '"a": b\n',
  'a: @b\n',
  'a: b:\n',
  'a: b,\n',
])('is read as the parser reads it, or left to it: %j', (text) => {
  expect(readPlainText(text) ?? parsed(text)).toEqual(parsed(text));
});

describe('what is plain reads as the parser reads it', () => {
  const scalar = fc.oneof(
    fc.constantFrom(
      'a',
      'approved',
      'a b',
      'a, b',
      'true',
      'false',
      'True',
      'null',
      'NULL',
      '~',
      'yes',
      '0',
      '7',
      '007',
      '-1',
      '1.5',
      '1e3',
      '0x1f',
      '.inf',
      '=',
      '<<',
      '""',
      '"a"',
      '"\\n"',
      '"\\u00e9"',
      '"\\ud83d\\ude00"',
      '"a\\/b"',
      '"\t"',
      '[]',
      '{}',
      'a/b.c',
      './a',
      'a-',
      '-a',
      'a:',
      ':a',
      'a#b',
      'a #b',
      '(a)',
      'a+b',
      '2026-11-21',
      '2026-11-21T20:45:12.000Z',
      '01930f5e-7b1c-7def-8a3b-0123456789ab',
      '1 2',
      'a  b',
      'a ',
      ' a',
      'é',
      'a,b',
      "a'b",
      '_',
      '/',
      'e',
      '1_000',
      'a?',
      'a!',
    ),
    fc.string({ maxLength: 6 }),
    fc.string({ maxLength: 4 }).map((text) => JSON.stringify(text)),
  );
  const value: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      scalar,
      fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
      fc
        .array(fc.tuple(fc.constantFrom('a', 'b-c', '_', 'true', '1'), tie('value')), { maxLength: 3 })
        .map((entries) => `{ ${entries.map(([key, item]) => `${key}: ${item}`).join(', ')} }`),
    ),
  })).value;
  const key = fc.constantFrom(
    'a',
    'b',
    'c_d',
    'e-f',
    'null',
    'true',
    'y',
    'fields',
    'Key2',
    '-',
    '1',
    '__proto__',
  );
  const entry = fc
    .tuple(key, fc.constantFrom(': ', ': ', ': ', ':', ' : ', ':  '), value)
    .map((parts) => parts.join(''));
  const block = fc.oneof(
    { weight: 5, arbitrary: entry },
    fc
      .tuple(key, fc.array(entry, { maxLength: 3 }), fc.constantFrom('  ', '  ', ' ', '    '))
      .map(([name, lines, indent]) => `${name}:\n${lines.map((each) => `${indent}${each}`).join('\n')}`),
    fc.constantFrom('', '# a', '...', '%YAML 1.1', '- a'),
  );
  let plain = 0;

  test('for any lines that look like it', () => {
    fc.assert(
      fc.property(fc.array(block, { maxLength: 4 }), (lines) => {
        const text = lines.map((each) => `${each}\n`).join('');
        const fast = readPlainText(text);
        if (fast === null) return;
        plain++;
        expect(parsed(text)).toEqual(fast);
      }),
      { numRuns: 2000 },
    );
    // Else the comparison says nothing.
    expect(plain).toBeGreaterThan(100);
  });
});
