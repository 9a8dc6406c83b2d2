const colour = /\p{Cc}\[[\d;]*m/gu;
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;

/** The number of terminal columns of a character. */
function columnsOf(character: string): number {
  if (/^[\p{Mn}\p{Me}\p{Cf}]$/u.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

/** The number of terminal columns of a string; colour codes count as none. */
export function width(text: string): number {
  const plain = text.replaceAll(colour, '');
  if (/^[\u0020-\u007e]*$/.test(plain)) return plain.length;
  return Array.from(plain, columnsOf).reduce((sum, columns) => sum + columns, 0);
}

/** The number of rows that a line takes on a terminal with so many columns. */
export function rowsOf(line: string, columns: number): number {
  return Math.max(1, Math.ceil(width(line) / columns));
}

/**
 * Breaks lines at spaces to fit into so many columns; continuation lines are indented to the line's
 * last column. Text in backquotes can be copied and is never broken, nor is a line that is a
 * command or has a marker below it.
 */
export function wrap(text: string, columns: number): string {
  const lines = text.split('\n');
  const isMarked = (index: number) => /^\s*\^+$/.test(lines[index + 1] ?? '');
  const isCommand = (each: string) => /^ *mailroom /.test(each.replaceAll(colour, ''));
  const isWhole = (each: string, index: number) =>
    width(each) <= columns || isMarked(index) || isCommand(each);
  return lines.map((each, index) => (isWhole(each, index) ? each : wrapLine(each, columns))).join('\n');
}

function wrapLine(text: string, columns: number): string {
  const [start = ''] = /^.*\S {2,}(?=\S)|^\s*/.exec(text) ?? [];
  const below = width(start);
  const indent = ' '.repeat(below > 0 && below <= columns / 2 ? below : 2);
  const done: string[] = [];
  let now = start;
  for (const [word] of text.slice(start.length).matchAll(/(?:`[^`]*`|\S)+\s*/g)) {
    if (now.trim() !== '' && width(now) + width(word.trimEnd()) > columns) {
      done.push(now.trimEnd());
      now = indent;
    }
    now += word;
  }
  return [...done, now].join('\n');
}

/** Shortens a string to so many columns and marks the cut. */
export function cut(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  let used = 1;
  let shown = '';
  for (const character of text) {
    used += columnsOf(character);
    if (used > columns) break;
    shown += character;
  }
  return `${shown}…`;
}
