import type { Start } from '../operations/services.ts';

/** A text whose commands can be typed as the program was called: both its names know all of them. */
export function asCalled(text: string, name: Start['name']): string {
  return name === 'mailroom' ? text : text.replaceAll(/(?<=`|\$ |: )mailroom (?=-|[a-z])/g, `${name} `);
}
