import fc from '../support/fast-check.ts';
import { expect, test } from 'vitest';
import type { Json, Path } from '../../src/kernel/json.ts';
import { readPlain } from '../../src/yaml/plain-document.ts';
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
function answers(document: YamlDocument): unknown[] {
  return pathsIn(document.value).map((path) => [
    path,
    document.place(path),
    document.place(path, 'key'),
    document.placeWithin(path, 1, 3),
    document.isPlain(path),
  ]);
}

/** Whether a text is plain; its places are then those of the parser. */
function expectSame(text: string): boolean {
  const read = readPlain(text, 'a.yaml');
  if (read === null) return false;
  const other = whole(text);
  expect(read.value).toEqual(other?.value);
  expect(answers(read)).toEqual(other && answers(other));
  return true;
}

/** Lines that are no error anywhere, so that a block is long enough to be read in parts. */
const filler = Array.from({ length: 60 }, (_none, index) => `  fill${String(index)}: { of: step }\n`).join(
  '',
);
const long = `name: x\nsteps: # all of them\n${filler}`;

test('a long text has the places that the parser finds', () => {
  const text = `# about\n${long}  last:\n    text: |\n      a\n\n    # its end\nlist:\n- a\n- b: 1\n  c: "x y"\n`;
  expect(expectSame(text)).toBe(true);
});

test('items of a long list have their places, too', () => {
  const items = Array.from({ length: 60 }, (_none, index) => `- id: s${String(index)}\n  needs: [a, b]\n`);
  expect(expectSame(`stages:\n${items.join('')}end: 1\n`)).toBe(true);
});

test('lines of front matter are counted in the message', () => {
  const place = readPlain('a: 1\nb: [x, y]\n', 'm.md', 2)!.place(['b', 1]);
  expect(place).toEqual({ file: 'm.md', line: 3, column: 8, length: 1, text: 'b: [x, y]' });
});

test('any plain lines have the places that the parser finds', () => {
  const value = fc.constantFrom(
    'a',
    'a b',
    '"a"',
    '"a\\nb"',
    "'it''s'",
    '',
    '# only',
    '5m # c',
    '12',
    '[a, b] # c',
    '{ a: 1, b: [] }',
    '|\n      text\n\n      more',
    '|-\n      # no\n      key: 1',
    '\n      deep: 1',
    '\n      # comment\n      deep: 2\n      more: { a: b }',
    '\n      - x\n      - y: 1\n        z: 2',
    '\n    - x\n    - y: 1',
    '${{ a }}',
  );
  const between = fc.constantFrom('\n', '\n', '\n\n', '\n# between\n', '\n      # deep\n');
  const entries = fc
    .array(fc.tuple(value, between), { maxLength: 5 })
    .map((all) => all.map(([text, end], index) => `  k${String(index)}: ${text}${end}`).join(''));
  let plain = 0;
  fc.assert(
    fc.property(entries, fc.boolean(), (written, isLong) => {
      const text = isLong ? `${long}${written}end: 1\n` : `all:\n${written}end: 1\n`;
      if (expectSame(text)) plain += 1;
    }),
    { numRuns: 100 },
  );
  // Else the comparison says nothing.
  expect(plain).toBeGreaterThan(30);
});
