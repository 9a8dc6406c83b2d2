import { isExactNumber } from '../kernel/json.ts';
import type { Language } from './language.ts';
import { expressionLimits } from './limits.ts';
import { SyntaxProblem, type Span } from './problem.ts';

export type Token =
  | { readonly kind: 'name'; readonly text: string; readonly span: Span }
  | { readonly kind: 'literal'; readonly value: null | boolean | number | string; readonly span: Span }
  | { readonly kind: 'mark'; readonly text: string; readonly span: Span }
  | { readonly kind: 'end'; readonly span: Span };

export interface LexerOptions {
  /** The offset in the text at which the expression begins. */
  readonly start: number;
  /** True: it ends at a required `}}`. False: it ends with the text. */
  readonly closed: boolean;
  readonly syntax: Pick<Language, 'dollar' | 'doubleQuotes' | 'calculates'>;
}

const blank = /[ \t\r\n]*/y;
const word = /[A-Za-z_][\w-]*/y;
/** Ids of steps may begin with a digit, and after a dot only a word can follow. */
const wordAfterDot = /\w[\w-]*/y;
const number = /[-+]?\.?\d[\w.]*(?:(?<=[eE])[-+]\w*)?/y;
const unsigned = /\.?\d[\w.]*(?:(?<=[eE])[-+]\w*)?/y;
const sum = /[-+*/]/y;
const mark = /==|!=|<=|>=|&&|\|\||[<>!?:()[\],.]/y;
const words = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

const hints = new Map([
  ['"', "strings stand in single quotes: 'text'"],
  ['=', '`==` compares'],
  ['&', '`&&` means and'],
  ['|', '`||` means or'],
  ...['{', '${'].map(
    (sign) => [sign, 'write `${{ … }}` around the whole expression, or no braces at all'] as const,
  ),
  ['*', 'an expression reads one value, and does not calculate'],
  ...['+', '-', '/', '%'].map((sign) => [sign, 'expressions do not calculate'] as const),
]);

/**
 * The tokens of one expression; the last one is the end. Throws a SyntaxProblem at the first
 * invalid one.
 */
export function tokenize(text: string, options: LexerOptions): Token[] {
  const tokens: Token[] = [];
  for (let at = options.start; ;) {
    at += match(blank, text, at).length;
    if (at - options.start > expressionLimits.text) throw tooLong(options.start, at);
    if (at >= text.length || (options.closed && text.startsWith('}}', at))) {
      if (options.closed && at >= text.length) throw unclosed(options.start);
      return [...tokens, { kind: 'end', span: { start: at, end: at } }];
    }
    const token = nextToken(text, at, tokens.at(-1), options);
    tokens.push(token);
    at = token.span.end;
  }
}

function tooLong(start: number, end: number): SyntaxProblem {
  return new SyntaxProblem(`the expression is longer than ${expressionLimits.text} characters`, null, {
    start,
    end,
  });
}

function unclosed(start: number): SyntaxProblem {
  return new SyntaxProblem('`${{` is not closed', 'end the expression with `}}`', {
    start: start - 3,
    end: start,
  });
}

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

function nextToken(text: string, at: number, before: Token | undefined, options: LexerOptions): Token {
  const first = text[at];
  if (first === "'" || (first === '"' && options.syntax.doubleQuotes === true))
    return stringToken(text, at, first);
  const afterDot = before?.kind === 'mark' && before.text === '.' && before.span.end === at;
  const name = match(afterDot ? wordAfterDot : word, text, at);
  if (name !== '') return wordToken(name, at, afterDot);
  if (first === '$' && options.syntax.dollar)
    return { kind: 'name', text: '$', span: { start: at, end: at + 1 } };
  const { calculates = false } = options.syntax;
  const afterValue = calculates && isValue(before);
  const figure = followsPath(before, at) ? '' : match(afterValue ? unsigned : number, text, at);
  if (figure !== '') return numberToken(figure, at);
  const sign = match(mark, text, at) || (calculates ? match(sum, text, at) : '');
  if (sign !== '') return { kind: 'mark', text: sign, span: { start: at, end: at + sign.length } };
  const character = String.fromCodePoint(text.codePointAt(at)!);
  const span = { start: at, end: at + character.length };
  const hint = hints.get(text.startsWith('${', at) ? '${' : character) ?? null;
  const isRest = calculates && character === '%';
  throw new SyntaxProblem(
    `unexpected \`${character}\``,
    isRest ? 'there are `+`, `-`, `*` and `/`; the rest of n / 3 is `n - floor(n / 3) * 3`' : hint,
    span,
  );
}

/** Whether a value ends with the token: a sign after it is an operator. */
function isValue(before: Token | undefined): boolean {
  if (before?.kind === 'mark') return [')', ']'].includes(before.text);
  return before?.kind === 'name' || before?.kind === 'literal';
}

/** True where a dot continues a path instead of beginning a number. */
function followsPath(before: Token | undefined, at: number): boolean {
  if (before === undefined || before.span.end !== at) return false;
  return before.kind === 'name' || (before.kind === 'mark' && [')', ']'].includes(before.text));
}

function wordToken(name: string, at: number, afterDot: boolean): Token {
  const span = { start: at, end: at + name.length };
  const value = afterDot ? undefined : words.get(name);
  return value === undefined ? { kind: 'name', text: name, span } : { kind: 'literal', value, span };
}

function numberToken(figure: string, at: number): Token {
  const span = { start: at, end: at + figure.length };
  // JSON has no negative zero.
  const value = Number(figure) + 0;
  if (!Number.isFinite(value)) throw new SyntaxProblem(`\`${figure}\` is not a number`, null, span);
  if (!isExactNumber(figure))
    throw new SyntaxProblem(`\`${figure}\` would be kept as ${String(value)}`, 'write it as a string', span);
  return { kind: 'literal', value, span };
}

/** A quote inside a string is written twice. */
function stringToken(text: string, at: number, quote: string): Token {
  let value = '';
  for (let from = at + 1; ;) {
    const close = text.indexOf(quote, from);
    if (close === -1 || close - at > expressionLimits.text) {
      const span = { start: at, end: at + 1 };
      throw new SyntaxProblem('the string is not closed', 'a quote inside a string is written twice', span);
    }
    value += text.slice(from, close);
    if (text[close + 1] !== quote) return { kind: 'literal', value, span: { start: at, end: close + 1 } };
    value += quote;
    from = close + 2;
  }
}
