/** The words of what a person types to find something, in small letters. */
export function wordsIn(typed: string): string[] {
  return typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}

/** Whether all the typed words are in `text`, in any case of letters. */
export function hasWords(text: string, typed: string): boolean {
  const all = text.toLowerCase();
  return wordsIn(typed).every((word) => all.includes(word));
}
