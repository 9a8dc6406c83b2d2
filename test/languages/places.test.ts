import fc from '../support/fast-check.ts';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { parseYaml, type YamlDocument } from '../../src/yaml/yaml.ts';

function read(text: string): YamlDocument {
  const result = parseYaml(text, 'a.yaml');
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.value;
}

/** What is marked for a part of the text at `a`. */
function marked(text: string, part: string): string {
  const document = read(text);
  const { a } = document.value as { a: string };
  const start = a.indexOf(part);
  const place = document.placeWithin(['a'], start, start + part.length);
  return place.text.slice(place.column - 1, place.column - 1 + place.length);
}

describe('a part of a text is marked', () => {
  test.each([
    ['without quotes', 'a: one X two\n'],
    ['in double quotes', 'a: "one X two"\n'],
    ['behind escapes', 'a: "\\tone \\"\\u00e9\\x41\\U0001F600 X two"\n'],
    ['in single quotes', "a: 'it''s X'\n"],
    ['on a line of its own', 'a: |\n  one\n\n    X\n  two\n'],
    ['in folded lines', 'a: >\n  one\n  X two\n\n  three\n'],
    ['behind an empty line of folded ones', 'a: >\n  one\n\n  X two\n'],
    ['in lines of a text without quotes', 'a: one\n  two\n  X\n'],
    ['in lines of a quoted text', 'a: "one\n\n  two\\\n  three X"\n'],
    ['in an indented block', 'a: |2\n    one\n  X\n'],
    ['behind a comment of the block', 'a: |- # comment\n  one X\n'],
  ])('%s', (_how, text) => {
    expect(marked(text, 'X')).toBe('X');
  });

  test('whatever the text and however it is written', () => {
    const styles = fc.constantFrom('BLOCK_LITERAL', 'BLOCK_FOLDED', 'QUOTE_DOUBLE', 'QUOTE_SINGLE', 'PLAIN');
    const text = fc.array(fc.constantFrom('a', 'b', ' ', '\n', '"', "'", '\\', 'é', '\t', '- ', 'word'), {
      minLength: 1,
      maxLength: 30,
    });
    fc.assert(
      fc.property(text, styles, fc.nat({ max: 40 }), (parts, style, lineWidth) => {
        const value = `${parts.join('')}X${parts.join('')}`;
        const options = { defaultStringType: style, lineWidth: lineWidth + 20, blockQuote: true } as const;
        expect(marked(stringify({ a: value }, options), 'X')).toBe('X');
      }),
      { numRuns: 500 },
    );
  });
});
