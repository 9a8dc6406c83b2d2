import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { readOwnFile } from '../plain-file.ts';
import type { ProgramHome } from '../../providers/program-home.ts';
import type { CommandLine } from '../../providers/provider.ts';
import { ownValue } from '../../kernel/own.ts';

interface Place {
  /** The program's working directory. */
  readonly cwd: string;
  /** The folder in which its home is made; the caller removes it. */
  readonly temporary: string;
}

/** The environment of a program, which names the home of its run if it needs one. */
export function withProgramHome(
  { home }: CommandLine,
  env: Readonly<Record<string, string>>,
  place: Place,
): Record<string, string> {
  return home === undefined ? { ...env } : { ...env, [home.variable]: makeHome(home, env, place) };
}

/**
 * Everything but the settings is a link to the user's files: renewed logins and continued
 * conversations reach them, and the user's settings stay unchanged.
 */
function makeHome(
  { variable, folder, beside, lasting, settings }: ProgramHome,
  env: Readonly<Record<string, string>>,
  { cwd, temporary }: Place,
): string {
  const person = resolve(cwd, ownValue(env, variable) ?? env['HOME'] ?? homedir());
  const theirs = join(person, folder);
  const home = join(temporary, 'home');
  const ours = join(home, folder);
  const file = join(theirs, settings.name);
  const text = settings.text(readOwnFile(file), file);
  mkdirSync(ours, { recursive: true });
  for (const name of lasting) makeFolder(join(theirs, name));
  for (const name of beside) symlinkSync(join(person, name), join(home, name));
  for (const name of namesIn(theirs)) {
    if (name !== settings.name) symlinkSync(join(theirs, name), join(ours, name));
  }
  writeFileSync(join(ours, settings.name), text);
  return home;
}

/** Empty if the folder does not exist; throws if it cannot be read. */
function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** If the folder cannot be made, the program itself reports what it lacks. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch {
    // A read-only home folder.
  }
}
