import fc from '../support/fast-check.ts';
import { expect, test } from 'vitest';
import { expressionLimits } from '../../src/expressions/limits.ts';
import { parseTemplate, render, treesOf, type Template } from '../../src/expressions/template.ts';
import type { Json } from '../../src/kernel/json.ts';
import { given, loose, problemsOf, shown } from './language.ts';

function templateOf(text: string): Template {
  const read = parseTemplate(text, loose);
  if (!read.ok) throw new Error(shown(text, read.problems));
  return read.value;
}

const context = { item: { n: 3, none: null, list: [1, 'a'], text: 'x', yes: true }, env: { A: '}}' } };

test.each<[string, Json]>([
  ['', ''],
  ['plain $text {{ }} ${x}', 'plain $text {{ }} ${x}'],
  ['${{ item.n }}', 3],
  ['${{item.list}}', [1, 'a']],
  ['${{ item.none }}', null],
  [' ${{ item.n }}', ' 3'],
  ['${{ item.n }}${{ item.yes }}', '3true'],
  ['a ${{ item.none }} b ${{ item.list }} c', 'a  b [1,"a"] c'],
  ["${{ '}}' }}-${{ env.A == '}}' }}", '}}-true'],
  ["${{ '${{' }} x }}", '${{ x }}'],
  ['line\n${{ item.text }}\n', 'line\nx\n'],
])('%j becomes %j', (text, value) => {
  expect(given(render(templateOf(text), context, loose))).toEqual(value);
});

test('trees count their places from the beginning of the text', () => {
  const text = 'a\n${{ item.n }} and ${{ env.A }}';
  const places = treesOf(templateOf(text)).map(({ span }) => text.slice(span.start, span.end));
  expect(places).toEqual(['item.n', 'env.A']);
});

test('each expression of a text has its own problem', () => {
  const text = [
    'say ${{ itm.a }} and ${{ }}',
    "${{ item == '}}' }} or ${{ lenght('}}') }} fine ${{ item == 'a }} ${{ ! }}",
    '${{ item + 1 }}',
    '${{ item.a',
  ].join('\n');
  expect(problemsOf(text, parseTemplate(text, loose))).toBe(
    [
      'say ${{ itm.a }} and ${{ }}',
      '        ^^^ `itm` is not defined here; did you mean `item`?',
      'say ${{ itm.a }} and ${{ }}',
      '                         ^ the expression is empty',
      "2: ${{ item == '}}' }} or ${{ lenght('}}') }} fine ${{ item == 'a }} ${{ ! }}",
      '                              ^^^^^^ there is no function `lenght`; did you mean `length`?',
      "2: ${{ item == '}}' }} or ${{ lenght('}}') }} fine ${{ item == 'a }} ${{ ! }}",
      '                                                               ^ the string is not closed; a quote inside a string is written twice',
      "2: ${{ item == '}}' }} or ${{ lenght('}}') }} fine ${{ item == 'a }} ${{ ! }}",
      '                                                                           ^ the expression ends too early',
      '3: ${{ item + 1 }}',
      '            ^ unexpected `+`; expressions do not calculate',
      '4: ${{ item.a',
      '   ^^^ `${{` is not closed; end the expression with `}}`',
    ].join('\n'),
  );
});

test('an expression ends where it ends, also when a name in it is wrong', () => {
  const text = "${{ itm == '}} ${{ ! }}' }} ${{ item }}";
  expect(problemsOf(text, parseTemplate(text, loose))).toBe(
    `${text}\n    ^^^ \`itm\` is not defined here; did you mean \`item\`?`,
  );
});

test('what a reference misses is said with its place', () => {
  const text = 'a ${{ item.n }} ${{ item.missing }}';
  const start = text.indexOf('item.missing');
  const span = { start, end: start + 'item.missing'.length };
  const why = { kind: 'absent', path: 'item.missing', span };
  expect(render(templateOf(text), context, loose)).toEqual({ ok: false, why });
});

test('a text may be long, but not without end', () => {
  const megabyte = 'x'.repeat(1024 * 1024);
  const longer = { item: megabyte };
  expect(given(render(templateOf(`${megabyte}\${{ item }}`), longer, loose))).toHaveLength(2 * 1024 * 1024);
  const text = ' ${{ item }}'.repeat(expressionLimits.resultText / megabyte.length);
  expect(render(templateOf(text), longer, loose)).toMatchObject({
    ok: false,
    why: { kind: 'failed', message: 'the text is too long' },
  });
});

test('many broken expressions are not all told', () => {
  const read = parseTemplate('${{ ! }}'.repeat(10_000), loose);
  expect(read.ok ? [] : read.problems).toHaveLength(expressionLimits.problems);
});

test('a text without expressions stays as it is, and any text gives a template or located problems', () => {
  const pieces = fc.constantFrom('${{', '}}', '$', '{{', 'item', "'", ' ', '\n', 'é', '.a', '==', '(');
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(pieces, { maxLength: 25 }).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const read = parseTemplate(text, loose);
      if (!text.includes('${{'))
        expect(read).toEqual({ ok: true, value: text === '' ? [] : [{ kind: 'text', text }] });
      for (const { span } of read.ok ? [] : read.problems) {
        expect(span.start).toBeGreaterThanOrEqual(0);
        expect(span.end).toBeLessThanOrEqual(text.length);
      }
    }),
    { numRuns: 1_000 },
  );
});
