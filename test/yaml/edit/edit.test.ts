import { describe, expect, it } from 'vitest';
import { applyPatches, edit, type Operation } from '../../../src/yaml/edit/edit.ts';

/** The text after an operation, or why there is none. */
function after(text: string, ...operations: Operation[]): string {
  const edited = edit(text, ...operations);
  if (!edited.ok) return `refused: ${edited.why}`;
  expect(applyPatches(text, edited.patches)).toBe(edited.text);
  return edited.text;
}

const file = `# A file of ours
name:   ship   # what it is

steps:
  # builds it
  build:
    command: [ npm, run, 'build' ]
    env: { A: "1", B: two }  # of the build
  test:
    needs:
      - build # first

      # and then
      - lint
    run: |-
      npm test
      npm run e2e

# the end
`;

const cases: readonly (readonly [string, Operation, string, string])[] = [
  [
    'a value, with its comment',
    { do: 'set', path: ['name'], value: 'sail' },
    'name:   ship   #',
    'name:   sail   #',
  ],
  ['a value that YAML would misread', { do: 'set', path: ['name'], value: 'yes' }, 'ship   #', '"yes"   #'],
  ['a value in quotes', { do: 'set', path: ['steps', 'build', 'env', 'A'], value: '2' }, 'A: "1"', 'A: "2"'],
  [
    'an item between brackets',
    { do: 'set', path: ['steps', 'build', 'command', 2], value: "it's" },
    "'build' ]",
    "'it''s' ]",
  ],
  [
    'the text of a block scalar, with its header',
    { do: 'set', path: ['steps', 'test', 'run'], value: 'npm ci\n\nnpm test' },
    'npm test\n      npm run e2e',
    'npm ci\n\n      npm test',
  ],
  [
    'a block scalar that now ends with a line break',
    { do: 'set', path: ['steps', 'test', 'run'], value: 'npm ci\n' },
    '|-\n      npm test\n      npm run e2e',
    '|\n      npm ci',
  ],
  [
    'a scalar where a list was',
    { do: 'set', path: ['steps', 'test', 'needs'], value: 'build' },
    'needs:\n      - build # first\n\n      # and then\n      - lint',
    'needs: build',
  ],
  [
    'a mapping where a scalar was',
    { do: 'set', path: ['name'], value: { first: 'a', second: ['b', 'c'] } },
    'name:   ship   # what it is',
    'name:   # what it is\n  first: a\n  second: [b, c]',
  ],
  [
    'one item of a list that is set as a whole',
    { do: 'set', path: ['steps', 'test', 'needs'], value: ['build', 'types', 'lint'] },
    '- build # first\n',
    '- build # first\n      - types\n',
  ],
  ['a key', { do: 'rename', path: ['steps', 'build'], name: 'make' }, '  build:\n', '  make:\n'],
  [
    'a key between brackets',
    { do: 'rename', path: ['steps', 'build', 'env', 'B'], name: 'C' },
    'B: two',
    'C: two',
  ],
  [
    'a pair that is added at the end',
    { do: 'add', path: ['steps', 'test', 'timeout'], value: '5m' },
    'npm run e2e\n',
    'npm run e2e\n    timeout: 5m\n',
  ],
  [
    'a pair that is added behind another one',
    { do: 'add', path: ['steps', 'lint'], value: { command: ['npm', 'run', 'lint'] }, after: 'build' },
    '# of the build\n',
    '# of the build\n  lint:\n    command: [npm, run, lint]\n',
  ],
  [
    'a pair that is added first',
    { do: 'add', path: ['steps', 'first'], value: null, after: null },
    '  # builds it\n',
    '  first: null\n  # builds it\n',
  ],
  [
    'a pair between brackets',
    { do: 'add', path: ['steps', 'build', 'env', 'C'], value: 'a, b' },
    'B: two }',
    'B: two, C: "a, b" }',
  ],
  [
    'an item that is added first',
    { do: 'add', path: ['steps', 'test', 'needs', 0], value: 'types' },
    '      - build #',
    '      - types\n      - build #',
  ],
  [
    'an item that is added last',
    { do: 'add', path: ['steps', 'test', 'needs', 2], value: { a: 1, b: [] } },
    '      - lint\n',
    '      - lint\n      - a: 1\n        b: []\n',
  ],
  [
    'a pair that is removed, with the comments directly above',
    { do: 'remove', path: ['steps', 'build'] },
    file.slice(file.indexOf('  # builds it'), file.indexOf('  test:')),
    '',
  ],
  [
    'an item that is removed, with the comments directly above',
    { do: 'remove', path: ['steps', 'test', 'needs', 1] },
    '      # and then\n      - lint\n',
    '',
  ],
  ['the first item between brackets', { do: 'remove', path: ['steps', 'build', 'command', 0] }, 'npm, ', ''],
  [
    'the last item between brackets',
    { do: 'remove', path: ['steps', 'build', 'command', 2] },
    ", 'build'",
    '',
  ],
];

describe('an edit', () => {
  it.each(cases)('changes %s, and nothing else', (_name, operation, from, to) => {
    expect(file.split(from)).toHaveLength(2);
    const wanted = file.replace(from, () => to);
    expect(after(file, operation)).toBe(wanted);
    const windows = (text: string) => text.replaceAll('\n', '\r\n');
    expect(after(windows(file), operation)).toBe(windows(wanted));
    expect(after(`\ufeff${windows(file)}`, operation)).toBe(`\ufeff${windows(wanted)}`);
  });
});
