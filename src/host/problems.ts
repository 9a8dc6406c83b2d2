import type { Diagnostic } from '../kernel/diagnostic.ts';

/** A diagnostic as one line, for reasons and notices. */
export function problemText({ message, place, hint }: Diagnostic): string {
  const where = place ? `line ${String(place.line)}: ` : '';
  return `${where}${message}${hint === null ? '' : ` (${hint})`}`;
}
