import { chmodSync, readdirSync, renameSync, rmdirSync, unlinkSync } from 'node:fs';

type SystemPath = string | Buffer;

/** True where a tree is only in the way: its paths are too long for the system, or it does not let itself be listed. */
export function isHidden(error: unknown): boolean {
  return ['ENAMETOOLONG', 'EACCES', 'EPERM', 'ENOTEMPTY'].includes((error as { code?: string }).code ?? '');
}

/**
 * Removes a folder whatever its owner made of it: any depth, any modes. Each folder in it is moved to a place of its own
 * first, which `fresh` names, on the same file system, so that no path grows. Links are removed, not followed. Throws what
 * the system says; then a part of it may be gone.
 */
export function removePieces(folder: SystemPath, fresh: () => SystemPath): void {
  const left = [folder];
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    chmodSync(at, 0o700);
    for (const entry of readdirSync(at, { withFileTypes: true, encoding: 'buffer' })) {
      const path = Buffer.concat([Buffer.from(at), Buffer.from('/'), entry.name]);
      if (!entry.isDirectory()) {
        unlinkSync(path);
        continue;
      }
      // The system lets nobody move a folder that they may not write.
      chmodSync(path, 0o700);
      const moved = fresh();
      renameSync(path, moved);
      left.push(moved);
    }
    rmdirSync(at);
  }
}
