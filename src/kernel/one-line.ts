/**
 * Control characters, line ends and direction marks, and halves of a character, which no encoding
 * can write.
 */
const unsafe = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

const named: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/** A character escaped as in JSON: `\u001b`. */
export function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** The text with every unsafe character replaced, including line breaks. */
export function replaceUnsafe(text: string, replacement: (character: string) => string): string {
  return text.replaceAll(unsafe, replacement);
}

const plain = /^[!-~](?: ?[!-~])*$/;

/**
 * The text as one line of at most `limit` characters: line breaks and control characters become
 * visible escapes, and a cut ends in `…`. Foreign text cannot forge a line of its own.
 */
export function oneLine(text: string, limit = Infinity): string {
  // The common case: nothing to change, and each unit is a character.
  if (text.length <= limit && plain.test(text)) return text;
  // Cut before replacing as well: do not scan every character of a megabyte.
  const line = replaceUnsafe(
    text.trim().slice(0, 8 * limit),
    (character) => named.get(character) ?? escapeOf(character),
  );
  const characters = Array.from(line);
  return characters.length > limit ? `${characters.slice(0, limit - 1).join('')}…` : line;
}
