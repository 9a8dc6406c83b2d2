import type { OwnWorkspace } from '../model.ts';
import type { Disk } from '../../disk/disk.ts';
import { checkPath, join, pathError } from '../../disk/disk.ts';

/**
 * A path of a workflow with its own workspace, from its base: it is relative to the workspace, even
 * if it begins with the workspace's name, and may lead up to the base. Throws `E_PATH` for an
 * absolute path, for one that leads out of the base, and where a link lies on the way.
 */
export function homePath(base: Disk, { workspace }: OwnWorkspace, path: string): string {
  if (path.startsWith('/')) throw pathError(path, 'it is absolute');
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  const from = names[0] === workspace ? [] : [workspace];
  const way: string[] = [];
  for (const name of [...from, ...names]) {
    if (name !== '..') way.push(name);
    else if (way.pop() === undefined) throw pathError(path, 'it leads out of the project');
  }
  checkPath(way.join('/'));
  refuseLinks(base, way, path);
  return way.join('/');
}

/** The same for a file below a folder of the workspace, which it must not leave. */
export function homePlace(base: Disk, { workspace }: OwnWorkspace, folder: string, path: string): string {
  if (path.startsWith('/')) throw pathError(path, 'it is absolute');
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  if (names.includes('..')) throw pathError(path, `it leads out of ${folder}`);
  if (names.length === 0) throw pathError(path, `it is not a file in ${folder}`);
  const way = [workspace, ...folder.split('/'), ...names];
  checkPath(way.join('/'));
  refuseLinks(base, way, path);
  return way.join('/');
}

function refuseLinks(base: Disk, way: readonly string[], path: string): void {
  let here = '';
  for (const name of way) {
    here = join(here, name);
    if (base.look(here)?.kind === 'link') throw pathError(path, `${here} is a link`);
  }
}
