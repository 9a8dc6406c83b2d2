import { closeSync, constants, fsyncSync, lstatSync, openSync, readdirSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemCode } from '../kernel/contained.ts';

/*
 * Two things that git ignores when it writes files: unknown files in the way, and a power failure.
 */

/**
 * The path, relative to `top`, of what would be lost if a file were written: a file in place of one
 * of its parent folders, or a file in a folder of its name. Null: nothing would be lost.
 */
export function inTheWay(top: string, path: string): string | null {
  const names = path.split('/');
  for (let length = 1; length < names.length; length += 1) {
    const folder = names.slice(0, length).join('/');
    const kind = look(join(top, folder));
    if (kind === undefined) return null;
    if (!kind.isDirectory()) return folder;
  }
  return firstFile(top, path);
}

/** The first file in a folder; null: not a folder, or without files. */
function firstFile(top: string, path: string): string | null {
  if (look(join(top, path))?.isDirectory() !== true) return null;
  for (const { name } of readdirSync(join(top, path), { withFileTypes: true })) {
    const inner = `${path}/${name}`;
    const isFolder = look(join(top, inner))?.isDirectory() === true;
    const found = isFolder ? firstFile(top, inner) : inner;
    if (found !== null) return found;
  }
  return null;
}

/** Makes the present state of these paths durable, including that a path no longer exists. */
export function syncPaths(top: string, paths: readonly string[]): void {
  const folders = new Set<string>();
  for (const path of paths) {
    const place = join(top, path);
    if (look(place)?.isFile() === true) sync(place);
    folders.add(nearestFolder(top, dirname(place)));
  }
  for (const folder of folders) sync(folder);
}

/** The folder, or its nearest existing parent. */
function nearestFolder(top: string, folder: string): string {
  const isThere = look(folder)?.isDirectory() === true;
  return isThere || folder === top ? folder : nearestFolder(top, dirname(folder));
}

/** Undefined: the path does not exist, or one of its parents is not a folder. */
function look(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (systemCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

function sync(path: string): void {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
