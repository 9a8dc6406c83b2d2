import { MailroomError } from '../../kernel/errors.ts';
import { checkPath, join, parentOf, pathError } from '../../disk/disk.ts';
import type { Disk } from '../../disk/disk.ts';

/**
 * A relative path in normal form: `./src//lib/` is `src/lib`, and `.` is the folder itself. Throws
 * `E_PATH` for an absolute path and for one with `..` in it.
 */
export function plainPath(path: string): string {
  if (path.startsWith('/')) throw pathError(path, 'it is absolute');
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  if (names.includes('..')) throw pathError(path, 'it leads upwards');
  const plain = names.join('/');
  checkPath(plain);
  return plain;
}

/**
 * The plain path with every existing link followed. Throws `E_PATH` where a link leads out of the
 * root or is dangling (its target could be created outside later), and `E_FILE` where a file is in
 * the way.
 */
export function realPath(disk: Disk, path: string): string {
  let here = '';
  for (const name of namesOf(path)) {
    here = follow(disk, inside(disk, here, name), path);
  }
  return here;
}

/** As `realPath`, for an expected file; null: it does not exist, or files are in the way. */
export function findPath(disk: Disk, path: string): string | null {
  try {
    return realPath(disk, path);
  } catch (error) {
    if (error instanceof MailroomError && error.code === 'E_FILE') return null;
    throw error;
  }
}

function inside(disk: Disk, folder: string, name: string): string {
  const kind = folder === '' ? 'folder' : (disk.look(folder)?.kind ?? 'folder');
  if (kind === 'folder') return join(folder, name);
  throw new MailroomError('E_FILE', `${name} cannot lie in ${folder}, which is a ${kind}`);
}

function follow(disk: Disk, here: string, path: string): string {
  if (disk.look(here)?.kind !== 'link') return here;
  const real = disk.resolve(here);
  if (real === null) throw pathError(path, 'a link on the way leads nowhere');
  return real;
}

function namesOf(path: string): string[] {
  return path === '' ? [] : path.split('/');
}

/** As `realPath`, but without following a final link, which would itself be replaced. */
export function realPlace(disk: Disk, path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return inside(disk, realPath(disk, parentOf(path)), name);
}
