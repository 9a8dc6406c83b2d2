/**
 * What a printed command has in place of a value of this type. An answer that still has it is
 * refused.
 */
export function placeholderOf(type: string): string {
  return `<${type}>`;
}
