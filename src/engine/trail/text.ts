/**
 * What could end a line, hide a part of it or turn its direction: blanks, line separators among them, control characters,
 * marks of writing direction, and halves of a character, which no encoding can write.
 */
const unfit = /[\s\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

const plain = /^[!-~](?: ?[!-~])*$/;

/** The text as one line of at most `limit` characters. What agents wrote cannot forge a line of its own with it. */
export function oneLine(text: string, limit: number): string {
  // Nearly every text: nothing is to be changed, and each unit is a character.
  if (text.length <= limit && plain.test(text)) return text;
  // Cut first as well: a subject of a megabyte is not worth a look at each of its characters.
  const line = text
    .slice(0, 8 * limit)
    .replaceAll(unfit, ' ')
    .trim();
  const characters = Array.from(line);
  return characters.length > limit ? `${characters.slice(0, limit - 1).join('')}…` : line;
}
