import { describe, expect, test } from 'vitest';
import { largestYaml, parseYaml } from '../../src/yaml/yaml.ts';
import type { Located } from '../../src/yaml/yaml.ts';

function read(text: string, firstLine?: number): Located {
  const result = parseYaml(text, 'a.yaml', firstLine);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.value;
}

/** What is marked on its line. */
function marked(located: Located, path: (string | number)[], part?: 'key' | 'value'): string {
  const { text, column, length } = located.place(path, part);
  return text.slice(column - 1, column - 1 + length);
}

function wrong(text: string): string[] {
  const result = parseYaml(text, 'a.yaml');
  return result.ok
    ? []
    : result.problems.map(({ place, message }) => `${place?.line}:${place?.column} ${message}`);
}

describe('a value', () => {
  test.each([
    '9007199254740993',
    '1e-400',
    '0.1234567890123456789',
    '0x20000000000001',
    '0o400000000000000001',
  ])('is refused where it is a number that would be kept as another one: %s', (figure) => {
    for (const text of [`a: ${figure}`, `a: [ ${figure} ]`, `a: {"b": ${figure}}`])
      expect(wrong(text)).toEqual([
        `1:${String(text.indexOf(figure) + 1)} \`${figure}\` is a number that cannot be kept exactly`,
      ]);
  });

  test('is that of YAML 1.2, the core schema', () => {
    const text =
      'a: yes\nb: off\nc: 0x1f\nd: 0o17\ne: 1.50\nf: ~\ng: True\nh: 2026-11-21\n<<: { x: 1 }\n1.0: one\ntrue: t\n"q": |\n  line\n';
    expect(read(text).value).toEqual({
      a: 'yes',
      b: 'off',
      c: 31,
      d: 15,
      e: 1.5,
      f: null,
      g: true,
      h: '2026-11-21',
      '<<': { x: 1 },
      '1.0': 'one',
      true: 't',
      q: 'line\n',
    });
  });

  test('is null for an empty text, and never a negative zero', () => {
    expect(read('').value).toBeNull();
    expect(read('# only a comment\n').value).toBeNull();
    expect(Object.is(read('-0').value, 0)).toBe(true);
  });

  test('does not depend on how lines end or on a byte order mark', () => {
    expect(read('\ufeffa: "1"\r\nb: |\r\n  x\r\n  y\r\n').value).toEqual({ a: '1', b: 'x\ny\n' });
  });
});

describe('a place', () => {
  const located = read(
    'roles:\n  a: { provider: claude, list: [x, yy, { z: 1 }] }\nnone:\ntext: "two words"\n',
    10,
  );

  test('is that of the value, or of the key', () => {
    expect(marked(located, ['roles', 'a', 'provider'])).toBe('claude');
    expect(marked(located, ['roles', 'a', 'provider'], 'key')).toBe('provider');
    expect(marked(located, ['roles', 'a', 'list', 1])).toBe('yy');
    expect(marked(located, ['roles', 'a', 'list', 2, 'z'])).toBe('1');
    expect(marked(located, ['roles', 'a', 'list'])).toBe('[x, yy, { z: 1 }]');
    expect(marked(located, ['text'])).toBe('"two words"');
  });

  test('of a block or of nothing is that of its key', () => {
    expect(marked(located, ['roles'])).toBe('roles');
    expect(marked(located, ['none'])).toBe('none');
  });

  test('of what is not there is that of the key which should hold it', () => {
    expect(marked(located, ['roles', 'a', 'model'])).toBe('a');
    expect(marked(located, ['roles', 'b', 'model'])).toBe('roles');
    expect(marked(located, ['text', 0])).toBe('"two words"');
  });

  test('has the line of the file and the whole line', () => {
    expect(located.place(['roles', 'a', 'provider'])).toEqual({
      file: 'a.yaml',
      line: 11,
      column: 18,
      length: 6,
      text: '  a: { provider: claude, list: [x, yy, { z: 1 }] }',
    });
    expect(read('').place(['a'])).toEqual({ file: 'a.yaml', line: 1, column: 1, length: 1, text: '' });
  });

  test('of several lines is marked on the first', () => {
    expect(marked(read('a: "one\n  two"\n'), ['a'])).toBe('"one');
  });
});

describe('what is refused stands where it is said to stand', () => {
  test('also after texts that look like the marks of the parser', () => {
    expect(wrong('a: \u0002\nb: \u0018\u001f\nc: \u001f\nd: &x 1\n')).toEqual([
      '4:4 YAML anchors are not allowed',
    ]);
    expect(wrong('- |\n *not an alias\n- "&no anchor"\n- no !tag\n- \'%no\'\n')).toEqual([]);
    expect(wrong('--- |\n*not an alias\n')).toEqual([]);
  });

  test('at most one problem on a line, each line with one', () => {
    expect(wrong('a: *x\nb: [*y, *z, !t v]\nc: ok\nd: @e\n')).toEqual([
      '1:4 YAML aliases are not allowed',
      '2:5 YAML aliases are not allowed',
      '4:4 a value cannot begin with this character',
    ]);
  });
});

test.each([
  [
    'name: n\rsteps: {}\r',
    '1:7 a key cannot follow a value here',
    'let lines end with a line feed, not with a carriage return alone',
  ],
  [`name: n\n${'k'.repeat(2_000)}: 1\n`, '2:1 a key has more than 1,024 characters', 'shorten it'],
])('what is wrong with a text is named with what is right: %#', (text, problem, hint) => {
  expect(wrong(text)).toEqual([problem]);
  expect(parseYaml(text, 'a.yaml')).toMatchObject({ problems: [{ hint }] });
});

test('of a long line that lacks a colon, the beginning is named', () => {
  expect(wrong(`a: 1\n${'long '.repeat(50_000)}\n`)).toEqual([
    `2:1 a \`:\` is missing after \`${'long '.repeat(15)}long…\``,
  ]);
});

test('the largest text is read, and one character more is not', () => {
  const text = `a: "${'x'.repeat(largestYaml - 5)}"`;
  expect(text).toHaveLength(largestYaml);
  expect(parseYaml(text, 'a.yaml').ok).toBe(true);
  expect(wrong(`${text}\n`)).toEqual([
    `1:1 the file has ${largestYaml + 1} characters; at most ${largestYaml} are read`,
  ]);
});
