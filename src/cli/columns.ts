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
 * last column, and a last column beyond the middle continues below the line as a whole. Text in
 * backquotes can be copied and is never broken, nor is a line whose last column is a command. Of a
 * line with a marker below it only the part around the marker is shown.
 */
export function wrap(text: string, columns: number): string {
  const lines = text.split('\n');
  const isCommand = (each: string) => /(?:^| {2}) *mailroom /.test(each.replaceAll(colour, ''));
  for (const [index, each] of lines.entries()) {
    if (width(each) <= columns || isCommand(each)) continue;
    const marker = lines[index + 1] ?? '';
    if (/^\s*\^+$/.test(marker)) [lines[index], lines[index + 1]] = partAround(each, marker, columns);
    else lines[index] = wrapLine(each, columns);
  }
  return lines.join('\n');
}

/** The part of a line around the marker below it, and the marker. */
function partAround(text: string, marker: string, columns: number): [text: string, marker: string] {
  // A tab, or a wide character, is not as many columns as characters.
  if (width(text) !== text.length || text.includes('\t')) return [text, marker];
  const at = marker.indexOf('^');
  const start = '  …';
  const left = at < columns / 2 ? 0 : at - Math.floor(columns / 2);
  const shown = left === 0 ? text : start + text.slice(left);
  const indent = left === 0 ? at : at - left + start.length;
  return [
    cut(shown, columns),
    ' '.repeat(indent) + '^'.repeat(Math.min(marker.length - at, columns - indent)),
  ];
}

function wrapLine(text: string, columns: number): string {
  const [start = ''] = /^.*\S {2,}(?=\S)|^\s*/.exec(text) ?? [];
  const below = width(start);
  const indent = ' '.repeat(below === 0 || below > columns / 2 ? 2 : below);
  const isBelow = below > columns / 2 && start.trim() !== '';
  const done: string[] = isBelow ? [wrap(start.trimEnd(), columns)] : [];
  let now = isBelow ? indent : start;
  for (const [word] of text.slice(start.length).matchAll(/(?:`[^`]*`|\S)+\s*/g)) {
    const needed = width(word.trimEnd());
    // A word that fits only on a line of its own is not broken, such as a path below its name.
    const isLong = needed + width(indent) > columns && needed <= columns;
    if (now.trim() !== '' && (isLong || width(now) > width(indent)) && width(now) + needed > columns) {
      done.push(now.trimEnd());
      now = isLong ? ' '.repeat(Math.min(2, columns - needed)) : indent;
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
