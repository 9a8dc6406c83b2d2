import { isExactNumber, placeIn, type Json } from '../../kernel/json.ts';

/** The deepest nesting of lists and objects in a request. */
const mostLevels = 64;

class Fault extends Error {
  readonly at: number;

  constructor(at: number, what: string) {
    super(what);
    this.at = at;
  }
}

/**
 * The value of a JSON text that all readers understand alike: without repeated keys, `__proto__`,
 * deep nesting and numbers that cannot be kept exactly. Otherwise what is wrong, with line and
 * column.
 */
export function parseStrictly(
  text: string,
): { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly problem: string } {
  try {
    new Walk(text).whole();
    return { ok: true, value: JSON.parse(text) as Json };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { ok: false, problem: `${error.message}: ${placeIn(text, error.at)}` };
  }
}

/** A walk over a JSON text that stops at the first fault. */
class Walk {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): void {
    this.#value(0);
    this.#space();
    if (this.#at < this.#text.length) throw this.#syntax();
  }

  #value(level: number): void {
    this.#space();
    if (level > mostLevels)
      throw new Fault(this.#at, `the body is nested more than ${String(mostLevels)} levels deep`);
    if (this.#takes(/\{/y)) this.#members(level + 1);
    else if (this.#takes(/\[/y)) this.#items(level + 1);
    else if (!this.#takes(/true|false|null/y) && !this.#number()) this.#string();
  }

  #number(): boolean {
    const start = this.#at;
    if (!this.#takes(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y)) return false;
    const figure = this.#text.slice(start, this.#at);
    if (isExactNumber(figure)) return true;
    throw new Fault(start, `\`${figure.slice(0, 100)}\` is a number that cannot be kept exactly`);
  }

  #members(level: number): void {
    const names = new Set<string>();
    this.#space();
    if (this.#takes(/\}/y)) return;
    do {
      this.#space();
      const start = this.#at;
      const name = this.#string();
      if (name === '__proto__') throw new Fault(start, 'the key `__proto__` is not allowed');
      if (names.has(name)) throw new Fault(start, `the key \`${name}\` occurs twice`);
      names.add(name);
      this.#space();
      if (!this.#takes(/:/y)) throw this.#syntax();
      this.#value(level);
      this.#space();
    } while (this.#takes(/,/y));
    if (!this.#takes(/\}/y)) throw this.#syntax();
  }

  #items(level: number): void {
    this.#space();
    if (this.#takes(/\]/y)) return;
    do {
      this.#value(level);
      this.#space();
    } while (this.#takes(/,/y));
    if (!this.#takes(/\]/y)) throw this.#syntax();
  }

  #string(): string {
    const start = this.#at;
    // eslint-disable-next-line no-control-regex
    if (!this.#takes(/"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y)) throw this.#syntax();
    return JSON.parse(this.#text.slice(start, this.#at)) as string;
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

  #syntax(): Fault {
    return new Fault(this.#at, 'the body is not JSON');
  }
}
