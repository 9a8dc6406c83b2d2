/** The human role of everybody who has none of their own. */
const anybody = 'user';

/**
 * The name under which somebody answers: their own if it is among those who may answer (`allowed`;
 * empty: everybody), never that of another. Where roles answer, `people` are all human roles: a
 * name that is none of them is `user`. Null: this person must not answer.
 */
export function answererOf(
  name: string,
  allowed: readonly string[],
  people: readonly string[] | null = null,
): string | null {
  if (allowed.length === 0 || allowed.includes(name)) return name;
  return people !== null && !people.includes(name) && allowed.includes(anybody) ? anybody : null;
}
