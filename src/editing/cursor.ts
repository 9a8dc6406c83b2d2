import { Composer, isMap, isPair, isScalar, isSeq, Parser, type Node } from 'yaml';
import type { Json, JsonObject } from '../kernel/json.ts';
import { setOwn } from '../kernel/own.ts';
import { nameOf, plainValue } from '../yaml/edit/tree.ts';
import type { Path } from '../yaml/yaml.ts';
import { composing } from '../yaml/composing.ts';

/** Where the cursor is in the structure of a source text, which may be broken or half typed. */
export interface Cursor {
  /** The path of the pair or item; the half-typed key is left out. */
  readonly path: Path;
  readonly part: 'key' | 'value';
  /** What stands before the cursor in the key or the string. */
  readonly before: string;
  /** The value of the text, without what is half typed. */
  readonly value: Json;
}

/** What may stand at the cursor. */
export interface Completion {
  readonly label: string;
  readonly kind: 'key' | 'value' | 'step' | 'name' | 'function' | 'file';
  readonly description: string | null;
  /** What replaces `typed`. */
  readonly insert: string;
  /** The characters before the cursor that it replaces. */
  readonly typed: string;
}

const mark = 'cursor0mark';
const word = /[\w./@:-]*$/;

/**
 * The places where the cursor may be: behind `- ` a key or an item can begin. Reads the text with a
 * word put at the cursor, so that a half-typed line does not hide the others.
 */
export function cursorsIn(text: string, offset: number): readonly Cursor[] {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const newline = text.indexOf('\n', offset);
  const end = newline === -1 ? text.length : newline;
  const before = text.slice(start, offset);
  const behind = text.slice(offset, end);
  const isNewKey = /^[\s-]*["']?[\w$.-]*$/.test(before) && !/^[^\s]*\s*:/.test(behind);
  const closed = before + mark + closingOf(before, behind);
  const head = text.slice(0, start);
  const tail = text.slice(end);
  const lines = isNewKey ? [`${before.replace(/["']?[\w$.-]*$/, '')}${mark}: 0`, closed] : [closed];
  const found = lines.flatMap((line) => cursorIn(head + line + tail, before) ?? []);
  const seen = new Set<string>();
  return found.filter(({ path, part }) => {
    const key = JSON.stringify([path, part]);
    return !seen.has(key) && seen.add(key).size > 0;
  });
}

/** What follows the cursor in its line, with the quotes and brackets that the line leaves open. */
function closingOf(before: string, behind: string): string {
  const line = before + behind;
  const open = openIn(line);
  return behind + open;
}

function openIn(line: string): string {
  let quote = '';
  const brackets: string[] = [];
  for (let at = 0; at < line.length; at += 1) {
    const letter = line[at]!;
    if (quote !== '') {
      if (quote === '"' && letter === '\\') at += 1;
      else if (letter === quote) quote = '';
    } else if ((letter === '"' || letter === "'") && /(?:^|[\s[{,:])$/.test(line.slice(0, at)))
      quote = letter;
    else if (letter === '[' && /[\s[{,:]$/.test(line.slice(0, at))) brackets.push(']');
    else if (letter === '{' && /[\s[{,:]$/.test(line.slice(0, at))) brackets.push('}');
    else if (letter === brackets.at(-1)) brackets.pop();
  }
  return quote + brackets.toReversed().join('');
}

function cursorIn(text: string, line: string): Cursor | null {
  const composer = new Composer(composing);
  const [document] = composer.compose(new Parser().parse(text), true, text.length);
  const root = (document?.contents ?? null) as Node | null;
  const place = placeOf(root, []);
  if (place === null) return null;
  const before = place.part === 'key' ? (word.exec(line)?.[0] ?? '') : place.before;
  return { ...place, before, value: without(root) };
}

/** The place of the mark. */
function placeOf(node: unknown, path: Path): Omit<Cursor, 'value'> | null {
  if (isScalar(node)) {
    const text = typeof node.value === 'string' ? node.value : '';
    const at = text.indexOf(mark);
    return at === -1 ? null : { path, part: 'value', before: text.slice(0, at) };
  }
  if (isSeq(node)) return firstOf(node.items.entries(), ([index, item]) => placeOf(item, [...path, index]));
  if (!isMap(node)) return null;
  return firstOf(node.items, ({ key, value }) => {
    const name = isScalar(key) ? (nameOf(key) ?? '') : '';
    return name.includes(mark) ? { path, part: 'key', before: '' } : placeOf(value, [...path, name]);
  });
}

function firstOf<T>(
  all: Iterable<T>,
  find: (each: T) => Omit<Cursor, 'value'> | null,
): Omit<Cursor, 'value'> | null {
  for (const each of all) {
    const found = find(each);
    if (found !== null) return found;
  }
  return null;
}

/** The value of a node, without the pair or item that has the mark. */
function without(node: unknown): Json {
  if (isScalar(node)) return plainValue(node);
  if (isSeq(node)) return node.items.map((item) => without(isPair(item) ? null : item));
  const object: JsonObject = {};
  if (isMap(node))
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? (nameOf(key) ?? '') : '';
      if (!name.includes(mark) && name !== '__proto__') setOwn(object, name, without(value));
    }
  return object;
}
