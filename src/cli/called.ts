import type { Start } from '../operations/services.ts';

/**
 * Rewrites the commands in a string to the name by which the program was called; both names accept
 * all commands.
 */
export function asCalled(text: string, name: Start['name']): string {
  return name === 'mailroom' ? text : text.replaceAll(/(?<=`|\$ |: )mailroom (?=-|[a-z])/g, `${name} `);
}
