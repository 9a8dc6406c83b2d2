import { lstatSync, realpathSync, statSync, type Stats } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { readPlainFile } from '../plain-file.ts';
import { isAbove } from './program-paths.ts';

/*
 * Locates repositories by their paths alone: an agent may have written what a repository contains
 * (`commondir`).
 */

interface WorkingTree {
  readonly top: string;
  /** Git's folder for this working tree: in the folder of its repository, or that folder itself. */
  readonly own: string;
}

/** A working tree and the folder of its repository. */
export interface KnownRepository extends WorkingTree {
  readonly git: string;
}

/** The repository folder that git finds from a folder upwards; null: none. */
export function repositoryFrom(folder: string): string | null {
  const tree = workingTreeOf(folder, '/');
  return tree === null ? null : repositoryAround(tree.own);
}

/**
 * The working tree that a folder lies in, and the folder of its repository; null outside git, or if
 * all of `home` is one. An agent can write a `.git` file, so it counts only if its repository also
 * knows the working tree: as a linked one, or as that of a submodule.
 */
export function repositoryOf(folder: string, home: string): KnownRepository | null {
  const tree = workingTreeOf(folder, home);
  if (tree === null || !isKnown(tree)) return null;
  return { ...tree, git: repositoryAround(tree.own) };
}

/** The working tree whose top a folder is, with its index and the folder of its repository. */
export function workingTreeAt(
  folder: string,
): { readonly top: string; readonly index: string; readonly repository: string } | null {
  const tree = workingTreeOf(folder, '/');
  if (tree === null || tree.top !== resolve(folder)) return null;
  const { top, own } = tree;
  return { top: realPlace(top), index: join(own, 'index'), repository: repositoryAround(own) };
}

function workingTreeOf(folder: string, home: string): WorkingTree | null {
  for (let top = resolve(folder); !isAbove(top, home); top = dirname(top)) {
    const git = join(top, '.git');
    const kind = kindOf(git);
    // Git skips a folder without HEAD.
    if (kind?.isDirectory() === true && isThere(join(git, 'HEAD'))) return { top, own: git };
    if (kind?.isFile() === true) {
      const named = /^gitdir: (.+)$/m.exec(textOf(git))?.[1];
      return named === undefined ? null : { top, own: realPlace(resolve(top, named)) };
    }
  }
  return null;
}

/** The folder of a linked working tree lies in `worktrees` of its repository. */
function repositoryAround(own: string): string {
  const around = dirname(dirname(own));
  return basename(dirname(own)) === 'worktrees' && isThere(join(around, 'HEAD')) ? around : own;
}

function isKnown({ top, own }: WorkingTree): boolean {
  const git = join(top, '.git');
  const is = (path: string | undefined, place: string) =>
    path !== undefined && realPlace(resolve(own, path)) === realPlace(place);
  if (own === git || is(textOf(join(own, 'gitdir')).trim(), git)) return true;
  return is(/^\s*worktree = (.+)$/m.exec(textOf(join(own, 'config')))?.[1], top);
}

function isThere(path: string): boolean {
  return kindOf(path, lstatSync) !== undefined;
}

/** Undefined: the path cannot be opened, by git either. */
function kindOf(path: string, look: typeof lstatSync = statSync): Stats | undefined {
  try {
    return look(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Empty if the file does not exist. */
export function textOf(file: string): string {
  try {
    return readPlainFile(file) ?? '';
  } catch {
    return '';
  }
}

/** The real path, as far as it exists. */
export function realPlace(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(realPlace(dirname(path)), basename(path));
  }
}
