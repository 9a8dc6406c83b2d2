import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { readProcess } from './proc.ts';

/*
 * Empty folders in the places of what would be obeyed later and is not there yet. A folder even where a file is meant: git
 * passes over an empty folder, so no agent commits it and nobody takes it for a change. Each process writes down which ones it
 * keeps, so that the last one removes them, or the next start if that was killed.
 */

/** How many processes of ours rely on a place, by its path. */
const kept = new Map<string, number>();

/** Keeps those of the places that are missing, or that another process keeps, until `close`. All paths are absolute. */
export function keepPlaces(project: string, places: readonly string[]): { readonly close: () => void } {
  const others = keptByOthers(project);
  const mine = places.filter((path) => kept.has(path) || others.has(path) || make(path));
  for (const path of mine) kept.set(path, (kept.get(path) ?? 0) + 1);
  if (mine.length > 0) writeRecord(project);
  return {
    close() {
      for (const path of mine) release(path);
      if (mine.length > 0) leave(project, mine);
    },
  };
}

/** Removes what processes that were killed have left. */
export function removeDeadPlaces(project: string): void {
  const living = keptByOthers(project);
  for (const { file, process: owner, paths } of recordsOf(project)) {
    if (isAlive(owner)) continue;
    for (const path of paths) if (!living.has(path) && !kept.has(path)) removeEmpty(path);
    rmSync(file, { force: true });
  }
}

function release(path: string): void {
  const count = (kept.get(path) ?? 0) - 1;
  if (count > 0) kept.set(path, count);
  else kept.delete(path);
}

/** Our own record goes first: of two that leave at once, the later one sees that nobody is left. */
function leave(project: string, paths: readonly string[]): void {
  writeRecord(project);
  const others = keptByOthers(project);
  for (const path of paths) if (!kept.has(path) && !others.has(path)) removeEmpty(path);
}

/** False: something lies there, or nothing can be made there, by an agent neither. */
function make(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch {
    return false;
  }
}

function removeEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // A person has put something there meanwhile.
  }
}

function folderOf(project: string): string {
  return join(project, '.mailroom', 'held');
}

/** Names this process: another one that gets the same pid later began at another time. */
function ownName(): string {
  return `${String(process.pid)}@${readProcess(process.pid)?.startTime ?? ''}`;
}

function isAlive(name: string): boolean {
  const [pid = '', startTime] = name.split('@');
  const found = readProcess(Number(pid));
  return found !== null && !found.ended && found.startTime === startTime;
}

function writeRecord(project: string): void {
  const file = join(folderOf(project), ownName());
  if (kept.size === 0) return rmSync(file, { force: true });
  mkdirSync(folderOf(project), { recursive: true });
  writeFileSync(file, [...kept.keys()].map(encodeURIComponent).join('\n'));
}

function keptByOthers(project: string): Set<string> {
  const own = ownName();
  const others = recordsOf(project).filter(({ process: owner }) => owner !== own && isAlive(owner));
  return new Set(others.flatMap(({ paths }) => paths));
}

function recordsOf(project: string): { file: string; process: string; paths: string[] }[] {
  const folder = folderOf(project);
  return namesIn(folder).map((name) => {
    const file = join(folder, name);
    return { file, process: name, paths: linesOf(file) };
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean).map(decodeURIComponent);
  } catch {
    return [];
  }
}
