import fc from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { asJson, asYaml, formatOf, hasComments } from '../../../src/yaml/edit/convert.ts';
import { parseYaml } from '../../../src/yaml/yaml.ts';

function read(text: string) {
  const found = parseYaml(text, 'x.yaml');
  if (!found.ok) throw new Error(found.problems[0]?.message);
  return found.value;
}

describe('YAML and JSON', () => {
  it.each([
    ['a: 1.0\nb: [1, 2.50]\n', '{\n  "a": 1.0,\n  "b": [\n    1,\n    2.50\n  ]\n}\n'],
    ['a: 0x10\nb: +1\n', '{\n  "a": 16,\n  "b": 1\n}\n'],
    ['{}\n', '{}\n'],
    ['z: {}\na: []\n', '{\n  "z": {},\n  "a": []\n}\n'],
    ['a: |\n  x\n  y\nb: "yes"\nc: yes\n', '{\n  "a": "x\\ny\\n",\n  "b": "yes",\n  "c": "yes"\n}\n'],
  ])('say the same, numbers as they are written: %j', (yaml, json) => {
    expect(asJson(read(yaml))).toBe(json);
    expect(read(json).value).toEqual(read(yaml).value);
  });

  it('keep numbers as they are written on the way back', () => {
    expect(asYaml(read('{ "version": 1.0, "list": [{ "x": 2.50 }], "text": "1.0" }'))).toBe(
      'version: 1.0\nlist:\n  - x: 2.50\ntext: "1.0"\n',
    );
  });

  it('have the same data in the same order after any way there and back', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), (text) => {
        const json = JSON.stringify({ 'the value': JSON.parse(text) as unknown });
        if (!parseYaml(json, 'x').ok) return;
        const yaml = asYaml(read(json));
        expect(JSON.stringify(read(yaml).value)).toBe(JSON.stringify(read(json).value));
        const again = asJson(read(yaml));
        expect(formatOf(again)).toBe('json');
        expect(JSON.stringify(read(again).value)).toBe(JSON.stringify(read(json).value));
      }),
    );
  });

  it('differ in comments, which are no parts of strings', () => {
    expect(hasComments('a: 1 # one\n')).toBe(true);
    expect(hasComments('# one\na: 1\n')).toBe(true);
    expect(hasComments('a: "# one"\nb: |\n  # two\nc: x#y\n')).toBe(false);
  });
});
