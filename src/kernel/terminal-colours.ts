/** What changes the colours of a terminal, and nothing else (SGR). */
// eslint-disable-next-line no-control-regex
export const colourCode = /\u001b\[[\d;]*m/g;

/** A text without what changes the colours of a terminal. */
export function withoutColours(text: string): string {
  return text.includes('\u001b') ? text.replaceAll(colourCode, '') : text;
}
