import type { Context, Start } from './context.ts';

/**
 * Rewrites the commands in a string to the name by which the program was called; both names accept
 * all commands.
 */
export function asCalled(text: string, name: Start['name']): string {
  return name === 'mailroom' ? text : text.replaceAll(/(?<=`|\$ |: )mailroom (?=-|[a-z])/g, `${name} `);
}

/** The commands of an operation, one a line, complete for copying. */
export function commandsFrom({ commandLine }: Pick<Context, 'commandLine'>, commands: string): string[] {
  return commands.split('\n').map((command) => commandLine(command.replace(/^mailroom /, '')));
}
