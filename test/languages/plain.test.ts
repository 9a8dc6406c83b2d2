import fc from '../support/fast-check.ts';
import { describe, expect, test } from 'vitest';
import { readDocument } from '../../src/languages/shared/document.ts';
import { readPlainText } from '../../src/yaml/plain-blocks.ts';
import { parseYaml } from '../../src/yaml/yaml.ts';

function parsed(text: string): unknown {
  const read = parseYaml(text, 'a.yaml');
  return read.ok ? read.value.value : 'wrong';
}

const example = `# A comment
name: ship it
version: "1"
timeout: 1h30m
steps:
  plan:  # behind a key
    worker: CUSTOM
    instructions: |
      echo one

        echo "two"
    capabilities: [READ,EDIT]
    depends_on: []
  build:
    command: [make, "-j", 'it''s', ./x.sh]
    when: \${{ steps.plan.status == 'SUCCEEDED' }}
    outputs:
      - name: out
        path: src/a:b.ts
      - { name: other, path: "b\\tc" }
    inputs:
    - from: plan
      artifact: a
    env: { A: 1, B: true, C: null }  # all of them
  last:
    description: 説明 of it
    max_retries: 2 # at most
    instructions: |-
      x
`;

describe('a plain text', () => {
  test('is read as the parser reads it', () => {
    expect(readPlainText(example)).not.toBeNull();
    expect(readPlainText(example)).toEqual(parsed(example));
  });

  test.each([
    ['an anchor', 'a: &x 1\n'],
    ['an alias', 'a: *x\n'],
    ['a tag', 'a: !x 1\n'],
    ['a directive', '%YAML 1.2\n---\na: 1\n'],
    ['a key given twice', 'a: 1\na: 2\n'],
    ['a key given twice between brackets', 'a: { b: 1, b: 2 }\n'],
    ['JSON', '{"a": 1}\n'],
    ['a number with a point', 'version: 1.0\n'],
    ['a large number', 'a: 99999999999999999\n'],
    ['a tab', 'a:\tb\n'],
    ['a text of several lines', 'a: one\n  two\n'],
    ['a folded text', 'a: >\n  one\n'],
    ['a colon in a text', 'a: b: c\n'],
    ['__proto__', '__proto__: 1\n'],
    ['no map', '- a\n'],
    ['no end of the last line', 'a: 1'],
    ['less indentation in a block of lines', 'a: |\n    x\n  y\n'],
  ])('is not one with %s', (_what, text) => {
    expect(readPlainText(text)).toBeNull();
  });
});

const oddWord = fc.constantFrom(
  'a',
  'b',
  'null',
  'true',
  'No',
  '1',
  '-1',
  '1.5',
  '0x1',
  '.5',
  '5m',
  '1h30m',
  '2M',
  './x',
  '../y',
  'src/*',
  '"q"',
  '"q\\n"',
  "'s'",
  "'it''s'",
  '[a, b]',
  '[a,b]',
  '[]',
  '[ ]',
  '[a, ]',
  '{ a: 1 }',
  '{a: 1}',
  '{}',
  '{ a }',
  '${{ x }}',
  "${{ a == 'b' }}",
  '${{ a ? b : c }}',
  'a b',
  'a  b',
  'a: b',
  'a #c',
  'a#c',
  'é',
  '日本',
  '~',
  '',
  '|',
  '|-',
  '>',
  '- x',
  '? x',
  '*',
  '&a',
  '@x',
  '%x',
  '`x',
  '"open',
  "'open",
  'a"b',
  '(a)',
  'a,b',
  'x]',
  '=',
  '<<',
);
const word = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom('a', 'two words', '5m', '12', '[READ, EDIT]', '{ a: b }', '"x"') },
  { weight: 1, arbitrary: oddWord },
);
const key = fc.constantFrom(
  'a',
  'b',
  'c',
  'name',
  '1',
  'true',
  'x.y',
  '"q"',
  'null',
  '<<',
  'é',
  '_',
  '__proto__',
);
const indent = fc.constantFrom('', '', '  ', '  ', '    ', '      ', ' ', '   ');
const line = fc.oneof(
  fc.tuple(indent, key, fc.constantFrom(': ', ':', ':  ', ' : '), word).map((parts) => parts.join('')),
  fc.tuple(indent, fc.constant('- '), word).map((parts) => parts.join('')),
  fc.tuple(indent, fc.constant('- '), key, fc.constant(': '), word).map((parts) => parts.join('')),
  fc.tuple(indent, word).map((parts) => parts.join('')),
  fc
    .tuple(indent, key, word, fc.constantFrom(' # c', '  # c', '#c', ' #'))
    .map(([margin, name, text, end]) => `${margin}${name}: ${text}${end}`),
  fc.constantFrom('', '  ', '# c', '  # c', '  a: # c', '  - # c', '---', '...', '-'),
);

/** A value as lines: what follows its key on the same line, and the lines below, indented from it. */
interface Written {
  readonly head: string;
  readonly lines: readonly string[];
}

const { written } = fc.letrec<{ written: Written; map: Written; list: Written; scalar: Written }>((tie) => ({
  written: fc.oneof({ depthSize: 'small' }, tie('scalar'), tie('map'), tie('list')),
  scalar: fc.oneof(
    word.map((head) => ({ head, lines: [] })),
    fc
      .array(fc.constantFrom('one', '  two', '', '# three', 'a: b', '- c'), { minLength: 1, maxLength: 4 })
      .map((lines) => ({ head: '|', lines: lines.map((each) => `  ${each}`) })),
  ),
  map: fc.array(fc.tuple(key, tie('written')), { minLength: 1, maxLength: 3 }).map((entries) => ({
    head: '',
    lines: entries.flatMap(([name, { head, lines }]) => [
      `  ${name}:${head === '' ? '' : ` ${head}`}`,
      ...lines.map((each) => `  ${each}`),
    ]),
  })),
  list: fc
    .tuple(fc.constantFrom('', '  '), fc.array(tie('written'), { minLength: 1, maxLength: 3 }))
    .map(([more, items]) => ({
      head: '',
      lines: items.flatMap(({ head, lines }) => {
        const [first = '', ...others] = head === '' ? lines.map((each) => each.slice(2)) : [head, ...lines];
        return [`${more}- ${first}`, ...others.map((each) => `${more}  ${each}`)];
      }),
    })),
}));

test('whatever is read as a plain text, the parser reads the same', () => {
  let plain = 0;
  fc.assert(
    fc.property(written, fc.array(line, { maxLength: 1 }), ({ lines }, others) => {
      const text = [...lines.map((each) => each.replace(/^ {2}/, '')), ...others]
        .map((each) => `${each}\n`)
        .join('');
      const value = readPlainText(text);
      if (value === null) return;
      plain += 1;
      expect(value).toEqual(parsed(text));
    }),
    { numRuns: 3_000 },
  );
  expect(plain).toBeGreaterThan(50);
});

test('and so with lines of a good text changed', () => {
  const lines = example.split('\n');
  const edit = fc.record({ at: fc.nat({ max: lines.length - 1 }), put: fc.option(line) });
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), (edits) => {
      const changed = edits.reduce(
        (before, { at, put }) => before.toSpliced(at, put === null ? 1 : 0, ...(put === null ? [] : [put])),
        lines,
      );
      const text = `${changed.join('\n').trimEnd()}\n`;
      const value = readPlainText(text);
      if (value !== null) expect(value).toEqual(parsed(text));
    }),
    { numRuns: 1_000 },
  );
});

describe('a long text', () => {
  const many = Array.from({ length: 2_000 }, (_, index) => `  s${index}: { command: [make] }\n`).join('');
  const text = `name: x\nversion: 1\nsteps:\n${many}`;

  test('knows its places as a short one does', () => {
    const read = readDocument(text, 'a.yaml');
    if (!read.ok) throw new Error('not read');
    expect(read.value.sourceOf(['version'])).toBe('1');
    expect(read.value.sourceOf(['steps'])).toBeNull();
    expect(read.value.place(['steps', 's1999', 'command', 0])).toMatchObject({
      line: 2003,
      column: 22,
      length: 4,
    });
    expect(read.value.placeWithin(['steps', 's3', 'command', 0], 1, 3)).toMatchObject({
      line: 7,
      column: 20,
    });
  });
});
