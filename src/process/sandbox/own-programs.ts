import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import process from 'node:process';

/** Folders that agents can write. */
const written = new Set<string>();
/** Keyed by the host's value of the variable. */
const usable = new Map<string, string>();
const found = new Map<string, string>();

/**
 * Excludes a folder (absolute) that agents can write from the search for Mailroom's own programs.
 * Call it before any process runs.
 */
export function keepProgramsOutOf(folder: string): void {
  if (written.has(folder)) return;
  written.add(folder);
  usable.clear();
  found.clear();
}

/**
 * `PATH` for processes: absolute folders that existed and were searchable at first use. A folder
 * created later, perhaps by an agent, is not searched.
 */
export function usablePath(path: string): string {
  const known = usable.get(path) ?? foldersOf(path).map(fixed).filter(isUsable).join(delimiter);
  usable.set(path, known);
  return known;
}

/** The search path for Mailroom's own programs: the folders of `PATH` that no agent can write. */
export function ownPath(): string {
  return foldersOf(usablePath(process.env['PATH'] ?? ''))
    .filter((folder) => !isWritten(folder) && !isWritten(realPath(folder)))
    .join(delimiter);
}

/** The path of one of Mailroom's own programs, searched once; its bare name if it is missing. */
export function ownProgram(name: string): string {
  const key = `${name}\0${process.env['PATH'] ?? ''}`;
  const path = found.get(key) ?? search(name);
  found.set(key, path);
  return path;
}

function search(name: string): string {
  const files = foldersOf(ownPath()).map((folder) => join(folder, name));
  return files.find((file) => isProgram(file) && !isWritten(realPath(file))) ?? name;
}

function foldersOf(path: string): string[] {
  return [...new Set(path.split(delimiter).filter((folder) => isAbsolute(folder)))];
}

/** A link inside a folder that agents write can change its target later. */
function fixed(folder: string): string {
  return isWritten(folder) ? realPath(folder) : folder;
}

function isWritten(path: string): boolean {
  return [...written].some((folder) => path === folder || path.startsWith(`${folder}/`));
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function isUsable(folder: string): boolean {
  return can(folder, constants.X_OK) && statSync(folder).isDirectory();
}

function isProgram(file: string): boolean {
  return can(file, constants.X_OK) && statSync(file).isFile();
}

function can(path: string, what: number): boolean {
  try {
    accessSync(path, what);
    return true;
  } catch {
    return false;
  }
}
