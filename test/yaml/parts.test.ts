import fc from '../support/fast-check.ts';
import { describe, expect, test } from 'vitest';
import type { Json, Path } from '../../src/kernel/json.ts';
import { ParsedParts } from '../../src/yaml/parts.ts';
import { parseYaml, type YamlDocument } from '../../src/yaml/yaml.ts';

/** What the parser reads; null where it refuses. */
function whole(text: string): YamlDocument | null {
  const read = parseYaml(text, 'a.yaml', 1, 1e6);
  return read.ok ? read.value : null;
}

function pathsIn(value: Json, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Object.entries(value).flatMap(([key, part]) =>
    pathsIn(part, [...path, Array.isArray(value) ? Number(key) : key]),
  );
  return [path, ...inner, [...path, 'missing'], [...path, 99]];
}

/** All that a reader can ask of a document. */
function told(document: YamlDocument): unknown[] {
  return pathsIn(document.value).map((path) => [
    path,
    document.place(path),
    document.place(path, 'key'),
    document.placeWithin(path, 1, 3),
    document.sourceOf(path),
    document.isPlain(path),
  ]);
}

function expectSame(read: YamlDocument | null, text: string): void {
  const other = whole(text);
  if (read === null || other === null) return expect(read).toBeNull();
  expect(JSON.stringify(read.value)).toBe(JSON.stringify(other.value));
  expect(told(read)).toEqual(told(other));
}

/** Lines that are no error anywhere, so that a block is long enough to be read in parts. */
const filler = Array.from({ length: 60 }, (_none, index) => `  fill${String(index)}: { of: step }\n`).join(
  '',
);
const long = `name: x\nsteps: # all of them\n${filler}`;

test('a long text is read as the parser reads it, and each part of it once', () => {
  const parts = new ParsedParts();
  const text = `\ufeff# about\r\n${long}  last:\n    text: |\n      a\n\n    # its end\nlist:\n- a\n- b: 1\n  c: "x y"\n`;
  const first = parts.read(text, 'a.yaml');
  expect(first).not.toBeNull();
  expectSame(first, text);
  const changed = text.replace('x y', 'y x');
  const second = parts.read(changed, 'a.yaml');
  expectSame(second, changed);
  const stepIn = (document: YamlDocument | null) => (document!.value as { steps: { last: Json } }).steps.last;
  expect(stepIn(second)).toBe(stepIn(first));
});

test('items of a long list are parts, too', () => {
  const items = Array.from({ length: 60 }, (_none, index) => `- id: s${String(index)}\n  needs: [a, b]\n`);
  const text = `stages:\n${items.join('')}end: 1\n`;
  const read = new ParsedParts().read(text, 'a.yaml');
  expect(read).not.toBeNull();
  expectSame(read, text);
});

test.each([
  ['the same key twice', `${long}  fill3: 1\n`],
  ['a key that is not plain', `${long}"q": 1\n`],
  ['several documents', `${long}---\na: 1\n`],
  ['a line that is indented less', `a:\n    b: 1\n  c: 2\n${long}`],
  ['an anchor', `${long}  last: &a 1\n`],
  ['`__proto__`', `${long}  __proto__: 1\n`],
  ['`__proto__` of a long block', `a: 1\n__proto__:\n${filler}`],
  ['a quote that is not closed', `${long}  last: "a\n  other: b"\n`],
  ['a list at the top', '- a\n- b\n'],
  ['nothing', '# nothing\n'],
])('%s is left to the parser', (_what, text) => {
  expect(new ParsedParts().read(text, 'a.yaml')).toBeNull();
});

test('a text that is read again and again takes no more memory', () => {
  const parts = new ParsedParts();
  for (let version = 0; version < 40; version += 1)
    expect(parts.read(`a: |\n  ${String(version).repeat(50_000)}\n`, 'a.yaml')).not.toBeNull();
  expect(parts.kept).toBeLessThanOrEqual(1_000_000);
});

describe('what is read in parts is what the parser reads', () => {
  const usual = fc.constantFrom(
    'a',
    'a b',
    '"a"',
    "'it''s'",
    '"two\n    lines"',
    'plain\n    folded',
    '',
    '~',
    '1.0',
    '[a, b]',
    '[a,\n    b]',
    '{ a: 1 }',
    '|\n      text\n      more',
    '>-\n      text\n\n      # no',
    '# only',
    '|+\n      kept\n\n',
    '|2\n      text',
    'a # comment',
    '\n      deep: 1',
    '\n      - x\n      - y: 1',
    '\n    # comment\n      deep: 2',
    '\n      - y: 1\n        z: 2',
    '${{ a }}',
    '|',
  );
  const rare = fc.constantFrom(
    'plain\n folded',
    '{\n  a: 1 }',
    '|\n     less\n    than',
    '"open',
    '[open',
    '!tag a',
    '&a b',
    '*a',
    '`x',
    'a: b',
    '- a',
    '\n- a\n- b',
    '\n  - a',
    '\ttab',
    '${{ a ? b : c }}',
    '|\n  # shallow',
  );
  const between = fc.constantFrom(
    '\n',
    '\n',
    '\n',
    '\n\n',
    '\n  \n',
    '\n# between\n',
    '\n      # deep\n',
    '\r\n',
    '',
  );
  const begin = fc.oneof(
    { weight: 12, arbitrary: fc.constant('KEY: ') },
    fc.constantFrom(
      'KEY:',
      'KEY:\n',
      'a: ',
      '- ',
      '-',
      '? ',
      '# ',
      '',
      'key ',
      '1.0: ',
      '"q": ',
      '--- ',
      '...',
    ),
  );
  const linesAt = (indent: string, maxLength: number): fc.Arbitrary<string> => {
    const margin = fc.oneof(
      { weight: 12, arbitrary: fc.constant(indent) },
      fc.constantFrom('', '  ', '    ', '   ', '\t'),
    );
    const value = fc.oneof({ weight: 10, arbitrary: usual }, rare);
    return fc
      .array(fc.tuple(margin, begin, value, between), { maxLength })
      .map((all) => all.map((parts, index) => parts.join('').replace('KEY', `k${String(index)}`)).join(''));
  };
  /** Lines among others that are long enough. */
  const text = fc
    .tuple(linesAt('', 2), linesAt('  ', 4), linesAt('', 1))
    .map(([before, inside, after]) => `${before}${long}${inside}${after.replaceAll('k0', 'after')}`);

  test('for any lines', () => {
    const parts = new ParsedParts();
    let count = 0;
    fc.assert(
      fc.property(text, (written) => {
        const read = parts.read(written, 'a.yaml');
        if (read === null) return;
        count += 1;
        expectSame(read, written);
      }),
      { numRuns: 250 },
    );
    // Else the comparison says nothing.
    expect(count).toBeGreaterThan(60);
  });
});
