import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import process from 'node:process';
import { MailroomError } from '../../kernel/errors.ts';
import { readPlainFile } from '../plain-file.ts';
import { isAlive, readProcess } from '../proc.ts';

/*
 * Empty folders at the missing paths that would be obeyed later. A folder even where a file is
 * expected: git skips an empty folder, so no agent commits it and it does not count as a change.
 * Only where git would fail on a folder there is a file that says what a missing one means.
 * Each process records which ones it keeps, so that the last one removes them, or the next start if
 * that process was killed.
 */

/** How many processes that this one runs need a path, by path. */
const kept = new Map<string, number>();

/**
 * Keeps those paths that are missing, or that another process keeps, until `close`. All paths are
 * absolute.
 */
export function keepPlaces(project: string, places: readonly string[]): { readonly close: () => void } {
  const others = keptByOthers(project);
  const mine = places.filter((path) => kept.has(path) || others.has(path) || !existsSync(path));
  for (const path of mine) kept.set(path, (kept.get(path) ?? 0) + 1);
  // Recorded first: if this process is killed, the next start knows what to remove.
  if (mine.length > 0) writeRecord(project);
  for (const path of mine) make(path);
  return {
    close() {
      for (const path of mine) release(path);
      if (mine.length > 0) leave(project, mine);
    },
  };
}

/** Removes the folders that killed processes have left. */
export function removeDeadPlaces(project: string): void {
  const living = keptByOthers(project);
  for (const { file, process: owner, paths } of recordsOf(project)) {
    if (isOwnerAlive(owner)) continue;
    for (const path of paths) if (!living.has(path) && !kept.has(path)) removeEmpty(path);
    rmSync(file, { force: true, recursive: true });
  }
}

function release(path: string): void {
  const count = (kept.get(path) ?? 0) - 1;
  if (count > 0) kept.set(path, count);
  else kept.delete(path);
}

/**
 * The record changes first: of two processes that leave at once, the later one sees that it is the
 * last.
 */
function leave(project: string, paths: readonly string[]): void {
  const leaving = paths.filter((path) => !kept.has(path));
  if (leaving.length === 0) return;
  writeRecord(project, leaving);
  const others = keptByOthers(project);
  for (const path of leaving) if (!others.has(path)) removeEmpty(path);
  writeRecord(project);
}

/** By their names in the folder of a repository. */
const files = new Map([
  ['commondir', '.\n'],
  ['packed-refs', ''],
]);

/** The text of the file that keeps a path; undefined: a folder keeps it. */
function fileAt(path: string): string | undefined {
  const isRepository = ['HEAD', 'objects', 'refs'].every((name) => existsSync(join(dirname(path), name)));
  return isRepository ? files.get(basename(path)) : undefined;
}

function make(path: string): void {
  const text = fileAt(path);
  try {
    if (text === undefined) mkdirSync(path);
    else writeFileSync(path, text, { flag: 'wx' });
  } catch {
    // The path exists, or cannot be created, not even by an agent.
  }
}

function removeEmpty(path: string): void {
  const text = fileAt(path);
  try {
    if (text === undefined) rmdirSync(path);
    else if (readPlainFile(path) === text) unlinkSync(path);
  } catch {
    // The user has put files there meanwhile.
  }
}

function folderOf(project: string): string {
  return join(project, '.mailroom', 'held');
}

/** Identifies this process: a later one with the same pid has another start time. */
function ownName(): string {
  return `${String(process.pid)}@${readProcess(process.pid)?.startTime ?? ''}`;
}

function isOwnerAlive(name: string): boolean {
  const [pid = '', startTime = ''] = name.split('@');
  return isAlive({ pid: Number(pid), startTime });
}

/** One line per path: `+` for a kept one, `-` for one that may be about to be removed. */
function writeRecord(project: string, leaving: readonly string[] = []): void {
  const file = join(folderOf(project), ownName());
  const lines = [
    ...[...kept.keys()].map((path) => ['+', path] as const),
    ...leaving.map((path) => ['-', path] as const),
  ];
  if (lines.length === 0) return rmSync(file, { force: true });
  const folder = folderOf(project);
  mkdirSync(folder, { recursive: true });
  if (!isItself(folder))
    throw new MailroomError('E_PATH', `${folder} is a link, not a folder`, 'move it away, and start again');
  const draft = join(folder, `.${ownName()}`);
  // Not through a link that lies in its place.
  rmSync(draft, { force: true, recursive: true });
  const text = lines.map(([mark, path]) => `${mark}${encodeURIComponent(path)}`).join('\n');
  writeFileSync(draft, text, { flag: 'wx' });
  renameSync(draft, file);
}

function keptByOthers(project: string): Set<string> {
  const own = ownName();
  const others = recordsOf(project).filter(({ process: owner }) => owner !== own && isOwnerAlive(owner));
  return new Set(others.flatMap(({ keeps }) => keeps));
}

interface PlaceRecord {
  readonly file: string;
  readonly process: string;
  /** The paths that it keeps, and separately those that it may be about to remove. */
  readonly keeps: readonly string[];
  readonly paths: readonly string[];
}

function recordsOf(project: string): PlaceRecord[] {
  const folder = folderOf(project);
  return namesIn(folder).map((name) => {
    const file = join(folder, name);
    const isDraft = name.startsWith('.');
    const lines = isDraft ? [] : linesOf(file);
    const marked = lines.map((line) => ({ keeps: line.startsWith('+'), path: decoded(line.slice(1)) }));
    const known = marked.filter(({ path }) => isAbsolute(path));
    const paths = known.map(({ path }) => path);
    const keeps = known.filter((each) => each.keeps).map(({ path }) => path);
    return { file, process: isDraft ? name.slice(1) : name, keeps, paths };
  });
}

function isItself(folder: string): boolean {
  return lstatSync(folder).isDirectory();
}

/** Empty for a link, too: what it leads to is not removed as if it were a record. */
function namesIn(folder: string): string[] {
  try {
    return isItself(folder) ? readdirSync(folder) : [];
  } catch {
    return [];
  }
}

function linesOf(file: string): string[] {
  try {
    return (readPlainFile(file) ?? '').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}

/** Empty unless this program wrote the text: any process could have put a file there. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
