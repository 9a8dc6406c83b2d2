import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc, { runs } from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import {
  isMap,
  isPair,
  parseDocument,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import type { Json } from '../../../src/kernel/json.ts';
import { isJsonObject } from '../../../src/kernel/json.ts';
import { applyPatches, edit, invertPatches, type Operation } from '../../../src/yaml/edit/edit.ts';
import { valueAfter } from '../../../src/yaml/edit/operation.ts';
import { parseYaml, type Path } from '../../../src/yaml/yaml.ts';

/*
 * Edits of texts that nobody chose: generated ones in every style, and the YAML files of this repository.
 */

const root = fileURLToPath(new URL('../../../', import.meta.url));

function valueOf(text: string): Json {
  const read = parseYaml(text, 'x.yaml');
  if (!read.ok) throw new Error(`${read.problems[0]?.message}\n${text}`);
  return read.value.value;
}

const isReadable = (text: string): boolean => parseYaml(text, 'x.yaml').ok;

/** Every path to a pair or an item. */
function pathsIn(value: Json, above: Path = []): Path[] {
  const inner = Array.isArray(value)
    ? [...value.entries()]
    : isJsonObject(value)
      ? Object.entries(value)
      : [];
  return inner.flatMap(([key, each]) => [[...above, key], ...pathsIn(each, [...above, key])]);
}

const scalars: readonly Json[] = [
  'plain',
  'two words',
  '',
  'yes',
  '1.0',
  'a: b',
  'x # y',
  "it's",
  'say "no"',
  '- dash',
  'ünï 🎉',
  '${{ a ? b : c }}',
  'one\ntwo\n',
  'one\n\n  two',
  '!x',
  '[a',
  ' space ',
  'tab\there',
  0,
  -1.5,
  true,
  false,
  null,
];
const scalar = fc.constantFrom(...scalars);
const value: fc.Arbitrary<Json> = fc.oneof(
  { weight: 3, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  {
    weight: 1,
    arbitrary: fc.dictionary(fc.constantFrom('a', 'b c', '1', 'no'), scalar, {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  },
);

/** An operation on any part of a value; `pick` and `key` choose which. */
const operation = fc.record({
  kind: fc.constantFrom('set', 'rename', 'add', 'remove', 'add inside'),
  pick: fc.nat(),
  key: fc.constantFrom('new', 'a key', 'yes', '12', 'x: y'),
  after: fc.option(fc.nat()),
  value,
});
type Chosen = typeof operation extends fc.Arbitrary<infer T> ? T : never;

/** Null: the value has no part to which this can be done. */
function operationOn(whole: Json, { kind, pick, key, after, value: given }: Chosen): Operation | null {
  const paths = pathsIn(whole);
  const path = paths[pick % Math.max(1, paths.length)];
  if (path === undefined) return null;
  const at = (way: Path): Json =>
    way.reduce<Json>((here, each) => (here as Record<string | number, Json>)[each]!, whole);
  const isItem = typeof path.at(-1) === 'number';
  if (kind === 'set') return { do: 'set', path, value: given };
  if (kind === 'remove') return { do: 'remove', path };
  if (kind === 'rename') return isItem ? null : { do: 'rename', path, name: key };
  const parent = kind === 'add' ? path.slice(0, -1) : path;
  const collection = at(parent);
  if (Array.isArray(collection))
    return { do: 'add', path: [...parent, pick % (collection.length + 1)], value: given };
  if (!isJsonObject(collection)) return null;
  const keys = Object.keys(collection);
  const place =
    after === null || keys.length === 0 ? {} : { after: [null, ...keys][after % (keys.length + 1)]! };
  return { do: 'add', path: [...parent, key], value: given, ...place };
}

interface Written {
  readonly text: string;
  readonly value: Json;
}

/** A text as somebody may have written it: blocks and flows, comments, blank lines, quotes. */
const written: fc.Arbitrary<Written> = fc
  .tuple(
    fc.infiniteStream(fc.nat({ max: 1_000 })),
    fc.constantFrom('\n', '\r\n'),
    fc.constantFrom('', '\ufeff'),
  )
  .map(([stream, eol, bom]) => {
    const next = (below: number): number => (stream.next().value as number) % below;
    const text = bom + blockOf(next, 0, 3).trimStart().replaceAll('\n', eol);
    return text + (next(4) === 0 ? '' : eol);
  })
  .filter(isReadable)
  .map((text) => ({ text, value: valueOf(text) }));

type Next = (below: number) => number;
const words = [
  'plain',
  'two words',
  '12',
  'true',
  '"a: b"',
  "'it''s'",
  '"x\\ty"',
  '[]',
  '{}',
  '~',
  './p',
  'ünï 🎉',
];

function blockOf(next: Next, indent: number, depth: number): string {
  const spaces = ' '.repeat(indent);
  const isList = next(3) === 0;
  let text = '';
  for (let index = 0; index <= next(4); index += 1) {
    if (next(6) === 0) text += '\n';
    if (next(4) === 0) text += `\n${spaces}# above ${String(index)}`;
    const name =
      ['a', 'key', '"quoted"', "'it'", '12', 'b c'][(index + next(2)) % 6]! + String(index).repeat(0);
    const isQuoted = /["']$/.test(name);
    const key = isQuoted ? name.slice(0, -1) + String(index) + name.at(-1)! : name + String(index);
    text += `\n${spaces}${isList ? '-' : `${key}:`}${valueIn(next, indent, depth, isList)}`;
  }
  return text;
}

function valueIn(next: Next, indent: number, depth: number, isItem: boolean): string {
  const comment = next(5) === 0 ? ' # beside' : '';
  const deeper = ' '.repeat(indent + 2);
  switch (next(depth > 0 ? 8 : 5)) {
    case 0:
      return ` |${['', '-', '+'][next(3)]!}${comment}\n${deeper}line one\n\n${deeper}  line # two`;
    case 1:
      return ` >${['', '-'][next(2)]!}\n${deeper}folded\n${deeper}text\n\n${deeper}end`;
    case 2:
      return ` ${flowOf(next, 2)}${comment}`;
    case 3:
      return ` "a string\n${deeper}over lines"${comment}`;
    case 4:
      return ` ${words[next(words.length)]!}${comment}`;
    case 5:
      return comment;
    default: {
      const inner = blockOf(next, indent + 2, depth - 1);
      if (!isItem || next(2) === 0 || /^\n\s*[#\n]/.test(inner)) return comment + inner;
      return ` ${inner.trimStart()}`;
    }
  }
}

function flowOf(next: Next, depth: number): string {
  const simple = words.filter((word) => word !== './p');
  if (depth === 0 || next(2) === 0) return simple[next(simple.length)]!;
  const isList = next(2) === 0;
  const items = Array.from({ length: next(4) }, (_, index) => {
    const inner = flowOf(next, depth - 1);
    return isList ? inner : `k${String(index)}: ${inner}`;
  });
  const gap = [' ', '', ' '][next(3)]!;
  const closing = items.length > 0 && next(4) === 0 ? ',' : '';
  return (
    (isList ? '[' : '{') +
    gap +
    items.join(next(3) === 0 ? ',  ' : ', ') +
    closing +
    gap +
    (isList ? ']' : '}')
  );
}

/**
 * The parts of a text before and behind what an operation concerns: the pair or item with the rest of its last line, and
 * where it is removed the comments above it; the collection, where something is added or nothing is left.
 */
function outside(
  text: string,
  { path, ...rest }: Operation,
): { readonly head: string; readonly tail: string } {
  const document = parseDocument(text, { uniqueKeys: false });
  const parent = path
    .slice(0, -1)
    .reduce<unknown>((node, key) => insideOf(partOf(node, key)), document.contents) as YAMLMap | YAMLSeq;
  const isOnly = parent.items.length === 1;
  const item = partOf(parent, path.at(-1)!);
  const pair = isPair(item) ? (item as Pair<Scalar, Node | null>) : null;
  const node = pair === null ? (item as Node | undefined) : (pair.value ?? pair.key);
  const whole = rest.do === 'add' || (rest.do === 'remove' && isOnly) ? parent : null;
  const [from, to] = [(whole ?? pair?.key ?? node)!.range![0], (whole ?? node)!.range![1]];
  if (rest.do === 'rename') return { head: text.slice(0, from), tail: text.slice(pair!.key.range![1]) };
  const start = text.slice(0, from).replace(/[\s,-]*$/, '');
  const end = text.slice(0, to).trimEnd().length;
  // What is put into an empty collection may be written in lines, behind the comment of its line.
  const isInLine = parent.flow === true && parent.items.length > 0;
  const tail = isInLine ? text.slice(end).replace(/^[\s,]+/, '') : text.slice(end).replace(/^.*/, '');
  // Comments above an item belong to it, and so does one between its dash and what is below.
  const isPairSet = rest.do === 'set' && pair !== null;
  const head = isPairSet ? start : text.slice(0, from).replace(/(?:[\s,-]|(?<=^|\s)#.*\r?\n)*$/, '');
  return { head, tail: tail.replace(/^\s+/, '') };
}

/** The pair or item of a collection. */
function partOf(node: unknown, key: string | number): unknown {
  if (!isMap(node)) return (node as YAMLSeq).items[Number(key)];
  return node.items.find((pair) => keyOf(pair.key as Scalar) === String(key));
}

const insideOf = (part: unknown): unknown => (isPair(part) ? part.value : part);

/** A key as its author wrote it. */
const keyOf = ({ value: name, source }: Scalar): string => (typeof name === 'string' ? name : (source ?? ''));

const commentsIn = (text: string): string[] => text.match(/(?<=^|\s)# (?:above \d|beside)/gm) ?? [];

/** Makes an edit and checks it. The text after it; null: it was refused. */
function checked(text: string, operation_: Operation): string | null {
  const before = valueOf(text);
  const edited = edit(text, operation_);
  if (!edited.ok) return null;
  expect(valueOf(edited.text)).toEqual(valueAfter(before, operation_));
  expect(applyPatches(text, edited.patches)).toBe(edited.text);
  expect(applyPatches(edited.text, invertPatches(text, edited.patches))).toBe(text);
  const { head, tail } = outside(text.replace(/^\ufeff/, ''), operation_);
  const after = edited.text.replace(/^\ufeff/, '');
  expect(after.slice(0, head.length)).toBe(head);
  expect(after.slice(after.length - tail.length)).toBe(tail);
  if (operation_.do === 'add' || operation_.do === 'rename')
    expect(commentsIn(after)).toEqual(commentsIn(text));
  expect(edited.text.startsWith('\ufeff')).toBe(text.startsWith('\ufeff'));
  // Every line ends as the lines of the text do.
  expect(after).not.toMatch(text.includes('\r\n') ? /(?<!\r)\n/ : /\r/);
  return edited.text;
}

/** An item with a comment between its dash and what is below, which is removed. */
const commentBelowDash = '- above\n- - first\n\n  -\n    # below the dash\n    - removed\n- last\n';
const removal: Chosen = { kind: 'remove', pick: 3, key: 'new', after: null, value: null };

describe('edits of generated texts', () => {
  it('say what is meant, touch nothing else, and are undone to the first byte', () => {
    let [made, refused] = [0, 0];
    fc.assert(
      fc.property(written, fc.array(operation, { minLength: 1, maxLength: 4 }), (start, chosen) => {
        let { text } = start;
        const operations: Operation[] = [];
        for (const each of chosen) {
          const next = operationOn(valueOf(text), each);
          if (next === null) continue;
          const changed = checked(text, next);
          made += 1;
          if (changed === null) refused += 1;
          else operations.push(next);
          text = changed ?? text;
        }
        const all = edit(start.text, ...operations);
        expect(all).toMatchObject({ ok: true, text });
        if (all.ok) expect(applyPatches(text, invertPatches(start.text, all.patches))).toBe(start.text);
      }),
      {
        numRuns: runs(38),
        examples: [[{ text: commentBelowDash, value: valueOf(commentBelowDash) }, [removal]]],
      },
    );
    expect(made).toBeGreaterThan(50);
    // Keys that exist already, and a few shapes that are better edited by hand.
    expect(refused / made).toBeLessThan(0.1);
  });
});

describe('edits of the files of this repository', () => {
  const files = ['templates', 'workflows', 'protocols', 'docs', 'test/fixtures', 'test/golden']
    .flatMap((folder) =>
      readdirSync(root + folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
    )
    .filter((file) => /\.(?:ya?ml|json)$/.test(file))
    .toSorted()
    .map((file) => ({ file, text: readFileSync(root + file, 'utf8') }))
    .filter(({ text }) => text.length < 20_000 && isReadable(text) && pathsIn(valueOf(text)).length > 0);

  it('do so as well', () => {
    expect(files.length).toBeGreaterThan(50);
    const refused: string[] = [];
    for (const { file, text } of files)
      fc.assert(
        fc.property(fc.array(operation, { minLength: 1, maxLength: 2 }), (chosen) => {
          let here = text;
          for (const each of chosen) {
            const next = operationOn(valueOf(here), each);
            const changed = next && checked(here, next);
            if (next !== null && changed === null) refused.push(`${file} ${JSON.stringify(next)}`);
            here = changed ?? here;
          }
        }),
        { numRuns: 2 },
      );
    expect(refused.length).toBeLessThan(files.length / 10);
  });
});
