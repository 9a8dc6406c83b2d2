import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import process from 'node:process';

/** Folders that agents may write. */
const written = new Set<string>();
/** By the variable as the host has it. */
const usable = new Map<string, string>();
const found = new Map<string, string>();

/**
 * Names a folder (absolute) that agents may write: none of our own programs is looked for in it from now on. Call it before
 * anything runs.
 */
export function keepProgramsOutOf(folder: string): void {
  if (written.has(folder)) return;
  written.add(folder);
  usable.clear();
  found.clear();
}

/**
 * `PATH` as processes get it: absolute folders that were there and could be entered when it was first asked for. One that
 * is made later, perhaps by an agent, holds no program for anybody.
 */
export function usablePath(path: string): string {
  const known = usable.get(path) ?? foldersOf(path).map(fixed).filter(isUsable).join(delimiter);
  usable.set(path, known);
  return known;
}

/** The folders that we look for our own programs in: those of `PATH` in which no agent may write. */
export function ownPath(): string {
  return foldersOf(usablePath(process.env['PATH'] ?? ''))
    .filter((folder) => !isWritten(folder) && !isWritten(realPath(folder)))
    .join(delimiter);
}

/** Where a program of our own lies, found once; its bare name if it is missing. */
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

/** A link among what agents write may lead elsewhere tomorrow. */
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
