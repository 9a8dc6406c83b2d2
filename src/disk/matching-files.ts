import picomatch from 'picomatch';
import type { Disk } from './disk.ts';
import { fileTimes } from './file-times.ts';

/** So many files and folders are looked at: more would hold up all else in this process. */
const mostSearched = 100_000;

/** Names may hold line breaks. */
const options = { dot: true, flags: 's' };

/**
 * The files of a project that match any of the globs and none that begins with `!`, with the time
 * and size of each. Searches only folders that can contain a match. `leaveOut`: folders to skip.
 * Throws `E_VALUE` for too many files.
 */
export function matchingFiles(
  disk: Disk,
  globs: readonly string[],
  leaveOut: readonly string[],
): Map<string, string> {
  const wanted = globs.filter((glob) => !glob.startsWith('!'));
  const unwanted = globs.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1));
  const bases = wanted.map(baseOf);
  const left = new Set(leaveOut);
  const isUnwantedFolder = matcher(unwanted.filter((glob) => glob.endsWith('/**')));
  const isLeftOut = (path: string) =>
    left.has(path) || isUnwantedFolder(path) || !bases.some((base) => isNear(path, base));
  const times = fileTimes(disk, isLeftOut, mostSearched);
  const isWanted = matcher(wanted);
  const isUnwanted = matcher(unwanted);
  return new Map([...times].filter(([path]) => isWanted(path) && !isUnwanted(path)));
}

function matcher(globs: readonly string[]): (path: string) => boolean {
  return globs.length === 0 ? () => false : picomatch([...globs], options);
}

/** The deepest folder that contains every possible match of a glob; empty: the project. */
export function baseOf(glob: string): string {
  return picomatch
    .scan(glob)
    .base.replace(/^\.?\/+|\/+$/g, '')
    .replace(/^\.$/, '');
}

/** Whether a path is above a folder, or inside it. */
function isNear(path: string, base: string): boolean {
  return base === '' || path === base || path.startsWith(`${base}/`) || base.startsWith(`${path}/`);
}
