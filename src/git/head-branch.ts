import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/**
 * The git branch that a folder (absolute) is on. `none`: it lies in no working tree; null: no
 * branch is checked out. Reads files only, so that it can be asked before every process.
 */
export function headBranch(folder: string): { readonly branch: string | null } | 'none' {
  const gitFolder = gitFolderAround(folder);
  const head = gitFolder === null ? null : textOf(join(gitFolder, 'HEAD'));
  if (head === null) return 'none';
  return { branch: /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? null };
}

/** The folder with `HEAD` of the working tree around a folder; a worktree has it elsewhere. */
function gitFolderAround(folder: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    const path = join(at, '.git');
    const kind = statSync(path, { throwIfNoEntry: false });
    if (kind?.isDirectory() === true) return path;
    const named = kind === undefined ? null : /^gitdir: (.+)$/.exec(textOf(path) ?? '')?.[1];
    if (named != null) return resolve(at, named);
    if (at === dirname(at)) return null;
  }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}
