/*
 * A block that Mailroom adds to a file below a message, and that is not part of the message. Its
 * marks carry a checksum: a block that somebody has edited is text of theirs, and is kept.
 */

const [opening, closing] = ['<!-- mailroom: not part of the message (', '<!-- mailroom: end ('];

/** A message file with a block below it. */
export function withBlock(file: string, block: string): string {
  const inside = `\n${block.trim()}\n\n`;
  const sum = checksum(inside);
  const gap = file.endsWith('\n') ? '\n' : '\n\n';
  return `${file}${gap}${opening}${sum}) -->\n${inside}${closing}${sum}) -->\n`;
}

/** The file without its last block, if that is unchanged: text around it is kept. */
export function withoutBlock(file: string): string {
  const end = file.lastIndexOf(closing);
  if (end === -1) return file;
  const sum = file.slice(end + closing.length, end + closing.length + 8);
  const mark = `${opening}${sum}) -->\n`;
  const start = file.lastIndexOf(mark, end);
  const last = `${closing}${sum}) -->`;
  if (start === -1 || !file.startsWith(last, end)) return file;
  if (checksum(file.slice(start + mark.length, end)) !== sum) return file;
  const before = file.slice(0, start).replace(/(^|\n)\n$/, '$1');
  return before + file.slice(end + last.length).replace(/^\n/, '');
}

/** FNV-1a in 32 bits, as 8 hexadecimal digits. */
function checksum(text: string): string {
  let sum = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    sum = Math.imul(sum ^ text.charCodeAt(index), 0x01000193);
  return (sum >>> 0).toString(16).padStart(8, '0');
}
