/** A workflow in lists: its name, by which commands know it, and what people call it. */
export function called(name: string, title: string | null): string {
  return title === null || title === '' || title === name ? name : `${name}: ${title}`;
}
