import { chmodSync, readdirSync, renameSync, rmdirSync, rmSync, unlinkSync } from 'node:fs';

type SystemPath = string | Buffer;

/** A tree is only in the way: its paths are too long for the system, or it does not let itself be listed. */
const inTheWay = ['ENAMETOOLONG', 'EACCES', 'EPERM', 'ENOTEMPTY'];

/**
 * Removes a folder whatever its owner made of it: any depth, any modes. Links are removed, not followed. `fresh` names places
 * on the same file system where nothing lies. Throws what the system says; then a part of it may be gone.
 */
export function removeTree(folder: SystemPath, fresh: () => SystemPath): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    if (!inTheWay.includes((error as { code?: string }).code ?? '')) throw error;
    removePieces(folder, fresh);
  }
}

/** Moves each folder in it to a place of its own first, so that no path grows. */
function removePieces(folder: SystemPath, fresh: () => SystemPath): void {
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
