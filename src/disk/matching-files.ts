import picomatch from 'picomatch';
import type { Disk } from './disk.ts';
import { fileTimes } from './file-times.ts';

/** Names may hold line breaks. */
const options = { dot: true, flags: 's' };

/**
 * The files of a project that any of the globs means and no one that begins with `!` takes away, with the time and size of
 * each. Only folders are gone through in which one of them can be. `leaveOut`: folders that are nobody's source.
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

/** The folder below which everything lies that a glob can mean; empty: the project. */
export function baseOf(glob: string): string {
  return picomatch
    .scan(glob)
    .base.replace(/^\.?\/+|\/+$/g, '')
    .replace(/^\.$/, '');
}

/** Whether a path lies on the way to a folder, or in it. */
function isNear(path: string, base: string): boolean {
  return base === '' || path === base || path.startsWith(`${base}/`) || base.startsWith(`${path}/`);
}
