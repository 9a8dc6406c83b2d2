/** The first fault of a JSON text. */
export class JsonFault extends Error {
  readonly at: number;
  /** True: it is not JSON. False: a rule of the caller forbids it. */
  readonly isSyntax: boolean;

  constructor(at: number, what: string, isSyntax = false) {
    super(what);
    this.at = at;
    this.isSyntax = isSyntax;
  }
}

/** What else a caller demands of a JSON text. `key` may throw a `JsonFault`. */
export interface JsonRules {
  /** The maximum nesting of lists and objects. */
  readonly levels: number;
  /** `before`: the keys that precede it in its object. */
  readonly key?: (name: string, at: number, before: ReadonlySet<string>) => void;
}

/** Throws a `JsonFault` at the first place where JSON text is not JSON, or breaks a rule. */
export function walkJson(text: string, rules: JsonRules): void {
  new Walk(text, rules).whole();
}

const numbers = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** A string up to its end, or up to what it must not contain. */
// eslint-disable-next-line no-control-regex
const strings = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/y;

class Walk {
  readonly #text: string;
  readonly #rules: JsonRules;
  #at = 0;

  constructor(text: string, rules: JsonRules) {
    this.#text = text;
    this.#rules = rules;
  }

  whole(): void {
    this.#value(0);
    this.#space();
    if (this.#at < this.#text.length) throw this.#expected('nothing after the value');
  }

  #value(level: number): void {
    this.#space();
    const { levels } = this.#rules;
    if (level > levels) throw new JsonFault(this.#at, `it is nested more than ${String(levels)} levels deep`);
    if (this.#takes(/\{/y)) this.#members(level + 1);
    else if (this.#takes(/\[/y)) this.#items(level + 1);
    else if (!this.#takes(/(?:true|false|null)(?!\w)/y) && !this.#takes(numbers) && !this.#string())
      throw this.#expected('a value; strings need double quotes');
  }

  #members(level: number): void {
    const names = new Set<string>();
    this.#space();
    if (this.#takes(/\}/y)) return;
    do {
      this.#space();
      const start = this.#at;
      if (!this.#string()) throw this.#expected('a key in double quotes');
      const name = JSON.parse(this.#text.slice(start, this.#at)) as string;
      this.#rules.key?.(name, start, names);
      names.add(name);
      this.#space();
      if (!this.#takes(/:/y)) throw this.#expected('`:`');
      this.#value(level);
      this.#space();
    } while (this.#takes(/,/y));
    if (!this.#takes(/\}/y)) throw this.#expected('`,` or `}`');
  }

  #items(level: number): void {
    this.#space();
    if (this.#takes(/\]/y)) return;
    do {
      this.#value(level);
      this.#space();
    } while (this.#takes(/,/y));
    if (!this.#takes(/\]/y)) throw this.#expected('`,` or `]`');
  }

  /** False: none begins here. */
  #string(): boolean {
    if (!this.#takes(strings)) return false;
    if (this.#takes(/"/y)) return true;
    throw this.#expected(
      this.#text[this.#at] === '\\'
        ? String.raw`one of the escapes \" \\ \/ \b \f \n \r \t \u0000`
        : String.raw`the " that ends the string (a line break in it is \n, a tab \t)`,
    );
  }

  #space(): void {
    this.#takes(/[ \t\r\n]*/y);
  }

  #takes(token: RegExp): boolean {
    token.lastIndex = this.#at;
    if (!token.test(this.#text)) return false;
    this.#at = token.lastIndex;
    return true;
  }

  #expected(what: string): JsonFault {
    const rest = this.#text.slice(this.#at, this.#at + 1);
    const isAfterComma = /[}\]]/.test(rest) && this.#text.slice(0, this.#at).trimEnd().endsWith(',');
    const told = isAfterComma ? `no comma before \`${rest}\`` : what;
    return new JsonFault(this.#at, `expected ${told}${rest === '' ? ' before its end' : ''}`, true);
  }
}

/** `line 1, column 8` */
export function placeIn(text: string, at: number): string {
  const before = text.slice(0, at).split('\n');
  return `line ${String(before.length)}, column ${String((before.at(-1) ?? '').length + 1)}`;
}

const mostShown = 100;

/** The place of a fault, what it is, and the line (of a long one, the part around the place). */
export function faultIn(text: string, { at, message }: JsonFault): string {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const end = text.indexOf('\n', at);
  const from = Math.max(start, at - mostShown / 2);
  const to = Math.min(end === -1 ? text.length : end, from + mostShown);
  const shown = text.slice(from, to).trim();
  return `${placeIn(text, at)}: ${message}${shown === '' ? '' : `: ${shown}`}`;
}
