import { lstatSync, realpathSync, statSync, type Stats } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { readPlainFile } from '../plain-file.ts';
import { isAbove } from './program-paths.ts';

/*
 * Where repositories lie, told by their places alone: what is written in a repository (`commondir`) an agent may have written.
 */

/** A working tree, and the folder of its repository. */
export interface KnownRepository {
  readonly top: string;
  readonly git: string;
}

interface WorkingTree {
  readonly top: string;
  /** What git keeps of this working tree: in the folder of its repository, or that folder itself. */
  readonly own: string;
}

/** The folder of the repository that git finds from a folder on; null: none. */
export function repositoryFrom(folder: string): string | null {
  const tree = workingTreeOf(folder, '/');
  return tree === null ? null : repositoryAround(tree.own);
}

/**
 * The working tree that a folder lies in, and the folder of its repository; null outside git, or if all of `home` is one. An
 * agent can write a `.git` file, so it counts only where the repository that it names knows the working tree, too: as one
 * that is linked to it, or as that of a submodule.
 */
export function repositoryOf(folder: string, home: string): KnownRepository | null {
  const tree = workingTreeOf(folder, home);
  if (tree === null || !isKnown(tree)) return null;
  return { top: tree.top, git: repositoryAround(tree.own) };
}

function workingTreeOf(folder: string, home: string): WorkingTree | null {
  for (let top = resolve(folder); !isAbove(top, home); top = dirname(top)) {
    const git = join(top, '.git');
    const kind = kindOf(git);
    // Git passes over a folder without HEAD.
    if (kind?.isDirectory() === true && isThere(join(git, 'HEAD'))) return { top, own: git };
    if (kind?.isFile() === true) {
      const named = /^gitdir: (.+)$/m.exec(textOf(git))?.[1];
      return named === undefined ? null : { top, own: realPlace(resolve(top, named)) };
    }
  }
  return null;
}

/** That of a linked working tree lies in `worktrees` of its repository. */
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

/** Undefined: nothing that could be opened, for git either. */
function kindOf(path: string, look: typeof lstatSync = statSync): Stats | undefined {
  try {
    return look(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Empty where there is none. */
export function textOf(file: string): string {
  try {
    return readPlainFile(file) ?? '';
  } catch {
    return '';
  }
}

/** Where a path leads, as far as it is there. */
export function realPlace(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(realPlace(dirname(path)), basename(path));
  }
}
