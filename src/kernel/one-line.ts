/**
 * Characters that steer a terminal, end a line or turn the direction of writing, and halves of a character, which no
 * encoding can write.
 */
const unsafe = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

const named: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/** `\u001b`: a character as JSON and most languages escape it. */
export function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** The text with every unsafe character replaced, line breaks among them. */
export function replaceUnsafe(text: string, replacement: (character: string) => string): string {
  return text.replaceAll(unsafe, replacement);
}

const plain = /^[!-~](?: ?[!-~])*$/;

/**
 * The text as one line of at most `limit` characters: line breaks and control characters become visible escapes, what is
 * cut ends in `…`. What others wrote cannot forge a line of its own with it.
 */
export function oneLine(text: string, limit = Infinity): string {
  // Nearly every text: nothing is to be changed, and each unit is a character.
  if (text.length <= limit && plain.test(text)) return text;
  // Cut first as well: a subject of a megabyte is not worth a look at each of its characters.
  const line = replaceUnsafe(
    text.trim().slice(0, 8 * limit),
    (character) => named.get(character) ?? escapeOf(character),
  );
  const characters = Array.from(line);
  return characters.length > limit ? `${characters.slice(0, limit - 1).join('')}…` : line;
}
