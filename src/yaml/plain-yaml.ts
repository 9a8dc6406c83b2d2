import type { Json, JsonObject } from '../kernel/json.ts';

/*
 * A fast reader for plain front matter, which most is: a key and a word on each line. Reading such
 * lines alone is several times faster than a whole YAML parser, and mail is read a lot. The rule
 * that keeps this right: whatever is read here, the parser reads the same (a property test compares
 * them); every uncertain case is "not plain".
 */

const line = /([A-Za-z_][\w-]*):(?: (.+))?\n/y;
const nestedLine = / {2}([A-Za-z_][\w-]*): (.+)\n/y;

/** Words that YAML cannot interpret otherwise: without marks, and separated by single spaces. */
const words =
  /^[A-Za-z_/][\w/.()+!?;=@'\u2013\u2014\u2026\u00c0-\u024f-]*(?:,? [\w/.()+\u2013\u2014\u2026\u00c0-\u024f][\w/.()+!?;=@'\u2013\u2014\u2026\u00c0-\u024f-]*)*$/;
const flowWords = /[A-Za-z_/][\w/.()+-]*(?: [\w/.()+][\w/.()+-]*)*/y;
/** Words with a special value. */
const special = /^(?:null|true|false)$/i;
const wholeNumber = /^(?:0|[1-9]\d{0,14})$/;
const flowNumber = /(?:0|[1-9]\d{0,14})(?=[,\]} ])/y;
const id = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const quoted = /"(?:[^"\\\p{Cc}\ufeff]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"/uy;
const flowKey = /([A-Za-z_][\w-]*): /y;

/**
 * The keys and values of plain front matter; null where it is not plain. Every line of the text
 * ends with a newline.
 */
export function readPlainYaml(text: string): JsonObject | null {
  const object: JsonObject = {};
  let at = 0;
  while (at < text.length) {
    const match = matchAt(line, text, at);
    if (match === null) return null;
    at += match[0].length;
    let value: Json | undefined;
    if (match[2] === undefined) {
      const nested: JsonObject = {};
      const end = readNested(text, at, nested);
      if (end === null || end === at) return null;
      at = end;
      value = nested;
    } else value = readValue(match[2]);
    if (value === undefined || !put(object, match[1]!, value)) return null;
  }
  return object;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** False for a key that exists already, or is refused. */
function put(object: JsonObject, key: string, value: Json): boolean {
  if (Object.hasOwn(object, key) || key === '__proto__') return false;
  object[key] = value;
  return true;
}

/**
 * Reads the indented lines from here on; returns the offset after them, or null for one that is not
 * plain.
 */
function readNested(text: string, start: number, object: JsonObject): number | null {
  let at = start;
  while (text[at] === ' ') {
    const match = matchAt(nestedLine, text, at);
    const value = match === null ? undefined : readValue(match[2]!);
    if (match === null || value === undefined || !put(object, match[1]!, value)) return null;
    at += match[0].length;
  }
  return at;
}

/** The value of a whole line. */
function readValue(text: string): Json | undefined {
  if (words.test(text)) return special.test(text) ? readSpecial(text) : text;
  if (id.test(text) || time.test(text)) return text;
  if (wholeNumber.test(text)) return Number.parseInt(text, 10);
  if (!/^["[{]/.test(text)) return undefined;
  const flow = new Flow(text);
  const value = flow.read(0);
  return flow.at === text.length ? value : undefined;
}

/** `True` and `NULL` mean the same to YAML, but are rare: they are left to the parser. */
function readSpecial(text: string): Json | undefined {
  return text === 'true' ? true : text === 'false' ? false : undefined;
}

/** A list or mapping in brackets on one line, as Mailroom writes it: a space after each comma. */
class Flow {
  at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  read(depth: number): Json | undefined {
    if (depth > 20) return undefined;
    const first = this.#text[this.at];
    if (first === '"') return this.#readQuoted();
    if (first === '[') return this.#readList(depth);
    if (first === '{') return this.#readMap(depth);
    const number = this.#take(flowNumber);
    if (number !== null) return Number.parseInt(number[0], 10);
    const text = this.#take(flowWords)?.[0];
    return text !== undefined && special.test(text) ? readSpecial(text) : text;
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    const match = matchAt(pattern, this.#text, this.at);
    if (match !== null) this.at += match[0].length;
    return match;
  }

  #skip(text: string): boolean {
    if (!this.#text.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  #readQuoted(): string | undefined {
    const match = this.#take(quoted);
    return match === null ? undefined : (JSON.parse(match[0]) as string);
  }

  #readList(depth: number): Json | undefined {
    const list: Json[] = [];
    if (this.#skip('[]')) return list;
    this.#skip('[');
    do {
      const value = this.read(depth + 1);
      if (value === undefined) return undefined;
      list.push(value);
    } while (this.#skip(', '));
    return this.#skip(']') ? list : undefined;
  }

  #readMap(depth: number): Json | undefined {
    const map: JsonObject = {};
    if (this.#skip('{}')) return map;
    if (!this.#skip('{ ')) return undefined;
    do {
      const key = this.#take(flowKey)?.[1];
      const value = key === undefined ? undefined : this.read(depth + 1);
      if (key === undefined || value === undefined || !put(map, key, value)) return undefined;
    } while (this.#skip(', '));
    return this.#skip(' }') ? map : undefined;
  }
}
