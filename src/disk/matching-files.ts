import picomatch from 'picomatch';
import type { Disk } from './disk.ts';
import { fileTimes } from './file-times.ts';

/** Names may hold line breaks. */
const options = { dot: true, flags: 's' };

/**
 * The files of a project that match any of the globs and none that begins with `!`, with the time
 * and size of each. Searches only folders that can contain a match. `leaveOut`: folders to skip.
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
  const times = fileTimes(disk, (path) => left.has(path) || !bases.some((base) => isNear(path, base)));
  const isWanted = picomatch([...wanted], options);
  const isUnwanted = unwanted.length === 0 ? () => false : picomatch(unwanted, options);
  return new Map([...times].filter(([path]) => isWanted(path) && !isUnwanted(path)));
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
