import { isJsonObject, type Json } from '../../kernel/json.ts';

/** How a source text is written, for new parts of it. */
export interface Style {
  /** The text is JSON, and new parts are, too. */
  readonly json: boolean;
  readonly quote: '"' | "'";
  readonly eol: '\n' | '\r\n';
  /** Spaces of one more level. */
  readonly unit: number;
  /** Between `{ }` and what is in them. */
  readonly padding: '' | ' ';
}

/** Words and numbers that some YAML reader does not take for strings. */
const misread =
  /^(?:y|n|yes|no|on|off|true|false|null|~|[-+]?[\d.][\d_.:eExXoOa-fA-F+-]*|[-+]?\.(?:inf|nan)|<<|=)$/i;
const plain = /^(?:[^\s\p{Cc}\-?:,[\]{}#&*!|>'"%@`]|-(?=[^\s,[\]{}]))[^\p{Cc}\u2028\u2029\ufeff]*$/u;

/** Whether a string is written without quotes; `inFlow`: between brackets. */
function isPlain(text: string, inFlow: boolean): boolean {
  if (misread.test(text) || !plain.test(text) || text.endsWith(' ') || text.endsWith(':')) return false;
  if (text.includes(': ') || text.includes(' #') || text.includes('\t')) return false;
  return !inFlow || !/[,[\]{}]|:(?=[,[\]{}]|$)/.test(text);
}

/** A string with these quotes, or with double ones where it needs escapes. */
export function quoted(text: string, quote: '"' | "'"): string {
  const isEscaped = quote === '"' || /[\p{Cc}\u2028\u2029\ufeff]/u.test(text);
  return isEscaped ? JSON.stringify(text) : `'${text.replaceAll("'", "''")}'`;
}

/** A string, a number, … on one line. */
export function scalarText(value: Json, style: Style, inFlow: boolean): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  if (style.json) return JSON.stringify(value);
  return isPlain(value, inFlow) ? value : quoted(value, style.quote);
}

/** A value between brackets, or as a scalar; JSON over several lines where `indent` is given. */
export function flowText(value: Json, style: Style, indent: number | null = null): string {
  if (typeof value !== 'object' || value === null) return scalarText(value, style, true);
  if (style.json && indent !== null) {
    const text = JSON.stringify(value, null, style.unit);
    return text.replaceAll('\n', style.eol + ' '.repeat(indent));
  }
  const parts = Array.isArray(value)
    ? value.map((item) => flowText(item, style))
    : Object.entries(value).map(([key, item]) => `${scalarText(key, style, true)}: ${flowText(item, style)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const padding = Array.isArray(value) || parts.length === 0 ? '' : style.padding;
  return open + padding + parts.join(', ') + padding + close;
}

/** The longest list that is written on one line, in characters. */
const longestFlow = 80;

/** What follows a colon or a dash whose pair or item begins in `column`. */
export function blockText(value: Json, style: Style, column: number, after: ':' | '-'): string {
  const line = (indent: number, text: string) => style.eol + ' '.repeat(indent) + text;
  if (typeof value === 'string' && value.includes('\n') && isLiteral(value))
    return ` ${literalText(value, style, column + style.unit)}`;
  if (typeof value !== 'object' || value === null) return ` ${scalarText(value, style, false)}`;
  const isShort = Array.isArray(value) && value.every((item) => !isLong(item));
  const flow = isShort || Object.keys(value).length === 0 ? flowText(value, style) : null;
  if (flow !== null && flow.length <= longestFlow) return ` ${flow}`;
  const inner = column + (after === '-' ? 2 : style.unit);
  if (!isJsonObject(value))
    return value.map((item) => line(inner, `-${blockText(item, style, inner, '-')}`)).join('');
  const pairs = Object.entries(value).map(
    ([key, item]) => `${scalarText(key, style, false)}:${blockText(item, style, inner, ':')}`,
  );
  if (after === '-') return ` ${pairs.join(line(inner, ''))}`;
  return pairs.map((pair) => line(inner, pair)).join('');
}

function isLong(item: Json): boolean {
  return (typeof item === 'object' && item !== null) || (typeof item === 'string' && item.includes('\n'));
}

/** Whether a literal block can hold a string exactly. */
function isLiteral(text: string): boolean {
  return !/^[\s]|[ \t]$|[ \t]\n$|[^\P{Cc}\n\t]|[\u2028\u2029\ufeff]/u.test(text) && text.trim() !== '';
}

function literalText(text: string, style: Style, indent: number): string {
  const ends = /\n*$/.exec(text)?.[0].length ?? 0;
  const header = `|${ends === 0 ? '-' : ends > 1 ? '+' : ''}`;
  return header + style.eol + indented(text.replace(/\n$/, ''), indent, style.eol);
}

/** Every line with text in it after so many spaces. */
export function indented(text: string, indent: number, eol: string): string {
  const lines = text.split('\n').map((line) => (line === '' ? '' : ' '.repeat(indent) + line));
  return lines.join(eol);
}
