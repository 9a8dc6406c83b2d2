import { accessSync, constants, lstatSync, opendirSync, statSync, type Stats } from 'node:fs';
import { geteuid } from 'node:process';
import { orElse } from '../kernel/contained.ts';
import { attempt } from './disk-attempts.ts';

/** The user who owns a folder, where this user is root and another one; null: neither. */
export function otherOwner(folder: string): number | null {
  const owner = orElse(() => attempt('look at', folder, () => statSync(folder).uid), 0);
  return geteuid?.() === 0 && owner !== 0 ? owner : null;
}

/** So many files are looked at: a look takes less than a second. */
const mostFiles = 20_000;

/**
 * Files of other users than the owner of a project in its mail and state, absolute: where this user
 * is root, all of them, else those that it cannot write.
 */
export function filesOfOthers(root: string): string[] {
  const { uid } = statSync(root);
  const isOther = (path: string, stats: Stats) =>
    stats.uid !== uid && !stats.isSymbolicLink() && (geteuid?.() === 0 || !canWrite(path));
  const found: string[] = [];
  const left = ['agents', '.mailroom'].map((name) => `${root}/${name}`);
  for (let count = 0; count < mostFiles && left.length > 0; count += 1) {
    const path = left.pop() ?? '';
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) continue;
    if (isOther(path, stats)) found.push(path);
    if (stats.isDirectory() && !path.endsWith('/.mailroom/worktrees'))
      left.push(...namesIn(path).map((name) => `${path}/${name}`));
  }
  return found;
}

function canWrite(path: string): boolean {
  return orElse(() => attempt('write', path, () => (accessSync(path, constants.W_OK), true)), false);
}

/** Not more names than are looked at; none of a folder that is closed to this user. */
function namesIn(folder: string): string[] {
  const read = () => {
    const opened = opendirSync(folder);
    try {
      const names: string[] = [];
      for (let at = opened.readSync(); at !== null && names.length < mostFiles; at = opened.readSync())
        names.push(at.name);
      return names;
    } finally {
      opened.closeSync();
    }
  };
  return orElse(() => attempt('list', folder, read), []);
}
