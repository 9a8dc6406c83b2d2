import type { Diagnostic, Place } from '../kernel/diagnostic.ts';

/** The widest part of a line that is shown. */
const widest = 160;

/**
 * A diagnostic for people: `file:line:column: error E_CODE: message`, the line with the place marked below it, and the
 * hint. No newline at the end.
 */
export function renderDiagnostic({ code, severity, message, place, hint }: Diagnostic): string {
  const lines = [`${place === null ? '' : `${where(place)}: `}${severity} ${code}: ${message}`];
  if (place !== null) lines.push(...excerpt(place));
  if (hint !== null) lines.push(`hint: ${hint}`);
  return lines.map(printable).join('\n');
}

/** Several diagnostics, an empty line between them. */
export function renderDiagnostics(diagnostics: readonly Diagnostic[]): string {
  return diagnostics.map(renderDiagnostic).join('\n\n');
}

/** `file:line:column`, which editors and terminals open. */
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
  // Tabs stay tabs, so that the mark stands under the place however wide they are shown.
  const indent = before.replaceAll(/[^\t]/g, ' ');
  return [`  ${head}${shown}${tail}`, `  ${head === '' ? '' : ' '}${indent}${'^'.repeat(length)}`];
}

/** No control character of a text that somebody else wrote, or of a name in it, reaches the terminal. */
function printable(text: string): string {
  return text.replaceAll(/(?![\t\n])\p{Cc}/gu, '\ufffd');
}

/** A diagnostic for programs. */
export interface DiagnosticDocument {
  readonly code: string;
  readonly message: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly hint: string | null;
}

export function diagnosticDocument({ code, message, place, hint }: Diagnostic): DiagnosticDocument {
  return {
    code,
    message,
    file: place?.file ?? null,
    line: place?.line ?? null,
    column: place?.column ?? null,
    hint,
  };
}

/** In the order of the files (others come last) and within a file of the places; what has no place comes first, warnings after errors of the same place. */
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
