import type { Diagnostic, Place } from '../kernel/diagnostic.ts';

/** The maximum number of shown characters of a line. */
const widest = 160;

/**
 * A diagnostic for people: `file:line:column: error E_CODE: message`, the line with the place
 * marked below it, and the hint. No newline at the end.
 */
export function renderDiagnostic({ code, severity, message, place, hint }: Diagnostic): string {
  const at = place === null ? '' : `${where(place)}: `;
  const lines = [`${at}${severity} ${code}: ${withShortWords(message)}`];
  if (place !== null) lines.push(...excerpt(place));
  if (hint !== null) lines.push(`hint: ${withShortWords(hint)}`);
  return lines.map(printable).join('\n');
}

/** Names and values of a file may have any length. */
function withShortWords(text: string): string {
  return text.replaceAll(/(\S{300})\S+/g, '$1…');
}

/** Several diagnostics, separated by empty lines. */
export function renderDiagnostics(diagnostics: readonly Diagnostic[]): string {
  return diagnostics.map(renderDiagnostic).join('\n\n');
}

/** `file:line:column`, which editors and terminals can open. */
export function where({ file, line, column }: Place): string {
  return `${file}:${line}:${column}`;
}

/** The line and the mark; of a long line, the part around the place. */
function excerpt(place: Place): string[] {
  const start = place.text.length <= widest ? 0 : Math.max(0, place.column - 1 - widest / 4);
  const shown = place.text.slice(start, start + widest);
  const before = place.text.slice(start, place.column - 1);
  const length = Math.max(1, Math.min(place.length, shown.length - before.length));
  const head = start > 0 ? '…' : '';
  const tail = start + widest < place.text.length ? '…' : '';
  // Keeps tabs, so that the mark is below the place for every tab width.
  const indent = before.replaceAll(/[^\t]/g, ' ');
  return [`  ${head}${shown}${tail}`, `  ${head === '' ? '' : ' '}${indent}${'^'.repeat(length)}`];
}

/** Escapes control characters of foreign text and names, so that none reaches the terminal. */
function printable(text: string): string {
  return text.replaceAll(/(?![\t\n])\p{Cc}/gu, '\ufffd');
}

/**
 * Sorts by the order of the files (others last), then by place; diagnostics without a place first,
 * errors before warnings of the same place.
 */
export function inOrder(diagnostics: readonly Diagnostic[], files: readonly string[]): Diagnostic[] {
  const places = diagnostics.flatMap(({ place }) => place?.file ?? []);
  const order = [...new Set([...files, ...places])];
  const rank = ({ place }: Diagnostic): readonly number[] =>
    place === null ? [-1, 0, 0] : [order.indexOf(place.file), place.line, place.column];
  return diagnostics.toSorted((a, b) => {
    const [first, second] = [rank(a), rank(b)];
    const differing = first.findIndex((value, index) => value !== second[index]);
    if (differing !== -1) return first[differing]! - second[differing]!;
    return (a.severity === 'warning' ? 1 : 0) - (b.severity === 'warning' ? 1 : 0);
  });
}
