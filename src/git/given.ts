import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { workingTreeAt } from '../process/sandbox/repository-place.ts';
import type { TreeChange } from './workspace-tree.ts';

/*
 * Folders in a checkout that Mailroom has filled for a step: its inputs. They are not its work, and
 * come into no commit. The list lies beside the checkout's index, and goes with it.
 */

/** The folders, from the top of the checkout `path` (absolute). */
export function givenIn(path: string): string[] {
  const list = listOf(path);
  return list === null || !existsSync(list) ? [] : readFileSync(list, 'utf8').split('\n').slice(0, -1);
}

/** Adds folders to the list, before anything is placed there. */
export function noteGiven(path: string, folders: readonly string[]): void {
  const [list, known] = [listOf(path), givenIn(path)];
  const plain = folders.map((folder) => posix.join(folder, '.').replace(/\/$/, ''));
  const all = [...new Set([...known, ...plain])];
  if (list === null || all.length === known.length) return;
  writeFileSync(`${list}.new`, all.map((folder) => `${folder}\n`).join(''));
  renameSync(`${list}.new`, list);
}

export function isGiven(given: readonly string[], path: string): boolean {
  return given.some((folder) => path === folder || path.startsWith(`${folder}/`));
}

/** What `git update-index --index-info -z` reads to undo changes. */
export function undoing(changes: readonly TreeChange[]): string {
  return changes
    .map(({ wasMode, was, path }) =>
      /^0+$/.test(wasMode) ? `0 ${was}\t${path}\0` : `${wasMode} ${was}\t${path}\0`,
    )
    .join('');
}

function listOf(path: string): string | null {
  const tree = workingTreeAt(path);
  return tree === null ? null : join(dirname(tree.index), 'mailroom-given');
}
