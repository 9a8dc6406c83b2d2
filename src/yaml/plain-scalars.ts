import type { Json, JsonObject } from '../kernel/json.ts';
import { setOwn } from '../kernel/own.ts';

/* Values on one line. Undefined is "not plain": use the parser. */

/** The source of a pattern for keys that are read without the parser, which refuses longer ones. */
export const plainKey = String.raw`[A-Za-z0-9_][\w.-]{0,1000}`;

const wholeNumber = /^(?:0|[1-9]\d{0,14})$/;
const quoted = /"(?:[^"\\\p{Cc}]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"/uy;
const singleQuoted = /'(?:[^'\p{Cc}]|'')*'/uy;
/** An unquoted string, on a line of its own and between brackets. */
const plain = /^[A-Za-z0-9_$./(\u00bf-\ud7ff](?:[^\s#:]|[ #](?![ #])|:(?=[^\s]))*$/;
const flowPlain = /[A-Za-z0-9_$./(\u00bf-\ud7ff][^,[\]{}:#'"&*!|>%@`\s]*(?: [^,[\]{}:#'"&*!|>%@`\s]+)*/y;
const flowKey = new RegExp(plainKey, 'y');
const deepest = 20;

/** The value of a whole line with its comment, without its key and the spaces around it. */
export function readLine(text: string): Json | undefined {
  if (!/^["'[{]/.test(text)) {
    const comment = text.indexOf(' #');
    const word = comment === -1 ? text : withoutEnd(text.slice(0, comment));
    return plain.test(word) ? resolve(word) : undefined;
  }
  const flow = new Flow(text);
  const value = flow.read(0);
  return /^(?: +#.*)?$/.test(text.slice(flow.at)) ? value : undefined;
}

/** The text without the spaces at its end. A pattern would take quadratic time to find them. */
export function withoutEnd(text: string): string {
  let end = text.length;
  while (text.charCodeAt(end - 1) === 32) end -= 1;
  return text.slice(0, end);
}

const meanings = new Map<string, Json | undefined>([
  ...['null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ['true', true],
  ['false', false],
  // Their spelling counts where text is wanted, too.
  ...['True', 'TRUE', 'False', 'FALSE'].map((word) => [word, undefined] as const),
]);

/** The value of an unquoted string in the core schema. */
function resolve(text: string): Json | undefined {
  if (meanings.has(text)) return meanings.get(text);
  if (!/^[\d.]/.test(text)) return text;
  if (wholeNumber.test(text)) return Number.parseInt(text, 10);
  const isNumber = !Number.isNaN(Number(text)) || /^(?:0[xo]|\.(?:inf|nan))/i.test(text);
  return isNumber ? undefined : text;
}

class Flow {
  at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  read(depth: number): Json | undefined {
    if (depth > deepest) return undefined;
    switch (this.#text[this.at]) {
      case '"': {
        const text = this.#take(quoted);
        if (text === undefined) return undefined;
        return text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1);
      }
      case "'":
        return this.#take(singleQuoted)?.slice(1, -1).replaceAll("''", "'");
      case '[':
        return this.#readList(depth);
      case '{':
        return this.#readMap(depth);
      default: {
        const text = this.#take(flowPlain);
        return text === undefined ? undefined : resolve(text);
      }
    }
  }

  #take(pattern: RegExp): string | undefined {
    const { at } = this;
    pattern.lastIndex = at;
    if (!pattern.test(this.#text)) return undefined;
    this.at = pattern.lastIndex;
    return this.#text.slice(at, this.at);
  }

  /** Consumes a mark with the spaces before it. */
  #mark(mark: string): boolean {
    const at = this.#spaces();
    if (this.#text[at] !== mark) return false;
    this.at = at + 1;
    return true;
  }

  /** The offset after the spaces here. */
  #spaces(): number {
    let at = this.at;
    while (this.#text.charCodeAt(at) === 32) at += 1;
    return at;
  }

  #readList(depth: number): Json | undefined {
    const list: Json[] = [];
    this.#mark('[');
    if (this.#mark(']')) return list;
    do {
      this.at = this.#spaces();
      const value = this.read(depth + 1);
      if (value === undefined) return undefined;
      list.push(value);
    } while (this.#mark(','));
    return this.#mark(']') ? list : undefined;
  }

  #readMap(depth: number): Json | undefined {
    const map: JsonObject = {};
    this.#mark('{');
    if (this.#mark('}')) return map;
    do {
      this.at = this.#spaces();
      const key = this.#take(flowKey);
      if (key === undefined || !this.#text.startsWith(': ', this.at)) return undefined;
      this.at += 1;
      this.at = this.#spaces();
      const value = this.read(depth + 1);
      if (value === undefined || !put(map, key, value)) return undefined;
    } while (this.#mark(','));
    return this.#mark('}') ? map : undefined;
  }
}

/** False for a key that exists already, or is refused. */
export function put(map: JsonObject, key: string, value: Json): boolean {
  if (key === '__proto__' || Object.hasOwn(map, key)) return false;
  setOwn(map, key, value);
  return true;
}
