/** Names as a list in a sentence; of very many, the first ones. */
export function enumerate(names: readonly string[]): string {
  const shown = names.slice(0, 20).map((name) => `\`${name}\``);
  return `${shown.join(', ')}${names.length > shown.length ? ', …' : ''}`;
}

/** A type with its indefinite article. */
export function withArticle(type: string): string {
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(names: readonly string[], last = 'and'): string {
  const end = names.at(-1) ?? '';
  return names.length < 2 ? end : `${names.slice(0, -1).join(', ')} ${last} ${end}`;
}

/** `1 step`, `2 steps`. */
export function counted(count: number, what: string): string {
  return `${String(count)} ${what}${count === 1 ? '' : 's'}`;
}

/** Of very many the first ones, with how many more there are. */
export function firstOf(names: readonly string[], most = 10): string {
  const more = names.length - most;
  return `${names.slice(0, most).join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`;
}
