/**
 * The headings of a Markdown text, also those within lists and quotations, and a fence that is never closed. Every
 * character that some reader takes for the end of a line ends one.
 */
export function headingsOf(text: string): string[] {
  const found: string[] = [];
  let fence: string | null = null;
  let previous = '';
  for (const raw of text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)) {
    if (fence !== null) {
      const end = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(raw)?.[1] ?? '';
      if (end.startsWith(fence)) fence = null;
      continue;
    }
    const line = raw.replace(/^(?: {0,3}(?:>|[-*+]|\d{1,9}[.)])(?: |$))+/, '');
    fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1] ?? null;
    const underlined = /^ {0,3}(?:=+|-+)\s*$/.test(raw) && previous.trim() !== '';
    if (/^ {0,3}#{1,6}(?:\s|$)/.test(line)) found.push(line.trim());
    else if (underlined) found.push(previous.trim());
    previous = fence === null ? line : '';
  }
  return fence === null ? found : [...found, `${fence} is never closed`];
}
