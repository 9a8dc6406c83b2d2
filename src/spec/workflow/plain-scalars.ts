import type { Json, JsonObject } from '../../core/json.ts';

/*
 * Values that stand on one line. Undefined is "not plain": the parser is to be asked.
 */

const wholeNumber = /^(?:0|[1-9]\d{0,14})$/;
const quoted = /"(?:[^"\\\p{Cc}]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"/uy;
const singleQuoted = /'(?:[^'\p{Cc}]|'')*'/uy;
/** A text without quotes, on a line of its own and between brackets. */
const plain = /^[A-Za-z0-9_$./(\u00bf-\ud7ff](?:[^\s#:]|[ #](?![ #])|:(?=[^\s]))*$/;
const flowPlain = /[A-Za-z0-9_$./(\u00bf-\ud7ff][^,[\]{}:#'"&*!|>%@`\s]*(?: [^,[\]{}:#'"&*!|>%@`\s]+)*/y;
const flowKey = /([A-Za-z0-9_][\w.-]*): +/y;
const spaces = / */y;
const deepest = 20;

/** The value of a whole line, its key and the spaces around it taken off. */
export function readLine(text: string): Json | undefined {
  if (!/^["'[{]/.test(text)) return plain.test(text) && !text.includes(' #') ? resolve(text) : undefined;
  const flow = new Flow(text);
  const value = flow.read(0);
  return flow.at === text.length ? value : undefined;
}

/** What a text without quotes is by the core schema. */
function resolve(text: string): Json | undefined {
  if (/^(?:null|Null|NULL)$/.test(text)) return null;
  if (/^(?:true|True|TRUE)$/.test(text)) return true;
  if (/^(?:false|False|FALSE)$/.test(text)) return false;
  if (!/^[\d.]/.test(text)) return text;
  if (wholeNumber.test(text)) return Number.parseInt(text, 10);
  const isNumber = !Number.isNaN(Number(text)) || /^(?:0[xo]|\.(?:inf|nan))/i.test(text);
  return isNumber ? undefined : text;
}

class Flow {
  at = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  read(depth: number): Json | undefined {
    if (depth > deepest) return undefined;
    switch (this.text[this.at]) {
      case '"': {
        const match = this.take(quoted);
        return match === null ? undefined : (JSON.parse(match[0]) as string);
      }
      case "'":
        return this.take(singleQuoted)?.[0].slice(1, -1).replaceAll("''", "'");
      case '[':
        return this.readList(depth);
      case '{':
        return this.readMap(depth);
      default: {
        const match = this.take(flowPlain);
        return match === null ? undefined : resolve(match[0]);
      }
    }
  }

  private take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (match !== null) this.at += match[0].length;
    return match;
  }

  /** Takes a mark with the spaces around it. */
  private mark(mark: string): boolean {
    const before = this.at;
    this.take(spaces);
    if (this.text[this.at] !== mark) {
      this.at = before;
      return false;
    }
    this.at += 1;
    return true;
  }

  private readList(depth: number): Json | undefined {
    const list: Json[] = [];
    this.mark('[');
    if (this.mark(']')) return list;
    do {
      this.take(spaces);
      const value = this.read(depth + 1);
      if (value === undefined) return undefined;
      list.push(value);
    } while (this.mark(','));
    return this.mark(']') ? list : undefined;
  }

  private readMap(depth: number): Json | undefined {
    const map: JsonObject = {};
    this.mark('{');
    if (this.mark('}')) return map;
    do {
      this.take(spaces);
      const key = this.take(flowKey)?.[1];
      const value = key === undefined ? undefined : this.read(depth + 1);
      if (key === undefined || value === undefined || !put(map, key, value)) return undefined;
    } while (this.mark(','));
    return this.mark('}') ? map : undefined;
  }
}

/** False for a key that is there already, or that is refused. */
export function put(map: JsonObject, key: string, value: Json): boolean {
  if (key === '__proto__' || Object.hasOwn(map, key)) return false;
  map[key] = value;
  return true;
}
