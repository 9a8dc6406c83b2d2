/** A here-document that was announced by `<<` and begins on the next line. */
export interface HereDocument {
  readonly delimiter: string;
  /** True: bash replaces nothing in it. */
  readonly isQuoted: boolean;
  /** `<<-`: tabs before the delimiter do not count. */
  readonly isIndented: boolean;
}

/** What follows `<<`: `-`, blanks, and the delimiter's quoted and plain parts. */
const announcement = /(-?)[ \t]*((?:\\[^]|'[^']*'|\$?"[^"]*"|\$'[^']*'|[^\s;&|()<>'"\\])*)/y;

/** The announcement after a `<<`, and where it ends. */
export function readAnnouncement(text: string, at: number): { document: HereDocument; end: number } {
  announcement.lastIndex = at;
  const [whole, dash, word] = announcement.exec(text)!;
  const delimiter = word!.replaceAll(/\\([^])|\$?'([^']*)'|\$?"([^"]*)"/g, '$1$2$3');
  const document = { delimiter, isQuoted: /['"\\]/.test(word!), isIndented: dash === '-' };
  return { document, end: at + whole.length };
}

/** Where a document's text ends, and where the script continues after the delimiter's line. */
export function bodyOf(
  document: HereDocument,
  text: string,
  start: number,
  end: number,
): { readonly end: number; readonly next: number } {
  let isContinued = false;
  for (let at = start; at < end;) {
    const newline = text.indexOf('\n', at);
    const next = newline === -1 || newline >= end ? end : newline + 1;
    const line = text.slice(at, newline === -1 || newline >= end ? end : newline);
    const word = document.isIndented ? line.replace(/^\t+/, '') : line;
    if (word === document.delimiter && !isContinued) return { end: at, next };
    // In an unquoted document, a backslash at the end of a line joins it with the next one.
    isContinued = !document.isQuoted && (/\\+$/.exec(line)?.[0].length ?? 0) % 2 === 1;
    at = next;
  }
  return { end, next: end };
}
