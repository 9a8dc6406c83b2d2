import { kindWords } from '../disk/contents.ts';
import { join } from '../disk/disk.ts';
import type { Disk } from '../disk/disk.ts';
import { ignoreState } from './project-folder.ts';
import { putAside, refusedFolder } from './refused.ts';
import { sealKey } from './seal.ts';

const below = (names: string) => names.split(' ').map((name) => `.mailroom/${name}`);

/*
 * The entries of `.mailroom/` that can be recreated. The journal, its blobs and the key are missing
 * on purpose: only a person may replace them.
 */
const files = below('.gitignore lock.json boot confirmed up.log workers.json');
/** Folders whose other entries are files that nothing else checks. */
const ownFolders = below('channels contexts events events/definitions events/relays parked queued');
const folders = [
  ...below('tmp locks api control incoming accepting held programs runs triggers turns worktrees'),
  ...ownFolders,
];

/**
 * Moves entries of another type than this to `.mailroom/refused/`. Returns a note for each. Throws
 * `E_DISK`. Paths are relative to the project, those of parents first.
 */
export function clearPlaces(disk: Disk, type: 'file' | 'folder', paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const found = disk.look(path)?.kind ?? type;
    if (found === type) return [];
    const problem = `it is ${kindWords[found]}, not ${kindWords[type]}`;
    putAside(disk, path, problem, refusedFolder);
    return `${path} was moved to ${refusedFolder}/: ${problem}`;
  });
}

/**
 * Everything else moves into this folder, so it moves first. Without a reason beside it: what that
 * is written with is perhaps not cleared yet.
 */
function clearRefused(disk: Disk): string[] {
  const found = disk.look(refusedFolder)?.kind ?? 'folder';
  if (found === 'folder') return [];
  const beside = `${refusedFolder}-file`;
  disk.rename(refusedFolder, beside);
  disk.rename(beside, join(refusedFolder, 'refused'));
  return [`${refusedFolder} was moved to ${refusedFolder}/: it is ${kindWords[found]}, not a folder`];
}

/**
 * Does this for the state of a project, so that a host can start whatever is in the place of its
 * files.
 */
export function clearState(disk: Disk): string[] {
  return [
    ...clearRefused(disk),
    ...clearPlaces(disk, 'folder', folders),
    ...clearPlaces(disk, 'file', files),
  ];
}

/**
 * Clears the places of the state of a project, makes git ignore it, and reads the key of its seals.
 * Every host does this at its start. Throws `E_DISK`, `E_FILE`.
 */
export function openState(disk: Disk): string[] {
  const cleared = clearState(disk);
  ignoreState(disk);
  sealKey(disk);
  return cleared;
}

/** Does this for the files in its folders. Call it with the project locked. */
export function clearStateFiles(disk: Disk): string[] {
  const entries = ownFolders.flatMap((folder) => (disk.list(folder) ?? []).map((name) => join(folder, name)));
  return clearPlaces(
    disk,
    'file',
    entries.filter((path) => !folders.includes(path)),
  );
}
