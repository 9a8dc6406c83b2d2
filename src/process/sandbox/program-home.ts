import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { readOwnFile } from '../plain-file.ts';
import type { ProgramHome } from '../../providers/program-home.ts';
import type { CommandLine } from '../../providers/provider.ts';

interface Place {
  /** Where the program runs. */
  readonly cwd: string;
  /** Where its home is made: a folder that somebody removes. */
  readonly temporary: string;
}

/** The environment of a program, in which it finds the home of its run if it wants one. */
export function withProgramHome(
  { home }: CommandLine,
  env: Readonly<Record<string, string>>,
  place: Place,
): Record<string, string> {
  return home === undefined ? { ...env } : { ...env, [home.variable]: furnish(home, env, place) };
}

/**
 * Everything but the settings is a link to what the person has: a login that is renewed and a conversation that goes on are
 * theirs, and their settings stay as they are.
 */
function furnish(
  { variable, folder, beside, lasting, settings }: ProgramHome,
  env: Readonly<Record<string, string>>,
  { cwd, temporary }: Place,
): string {
  const person = resolve(cwd, env[variable] ?? env['HOME'] ?? homedir());
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

/** Nothing where there is none; what cannot be read is an error. */
function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** Where it cannot be made, the program finds out itself what it has to do without. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch {
    // A home folder that may only be read.
  }
}
