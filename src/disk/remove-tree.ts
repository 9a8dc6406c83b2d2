import { chmodSync, readdirSync, renameSync, rmdirSync, rmSync, unlinkSync } from 'node:fs';
import { systemCode } from '../kernel/contained.ts';

type SystemPath = string | Buffer;

/**
 * The errors after which a tree is removed piece by piece: its paths are too long, or its modes
 * forbid listing or removing.
 */
const inTheWay = ['ENAMETOOLONG', 'EACCES', 'EPERM', 'ENOTEMPTY'];

/**
 * Removes a folder of any depth and with any modes. Links are removed, not followed. `fresh`
 * returns unused paths on the same file system. Throws the system's error; then a part of it may be
 * removed.
 */
export function removeTree(folder: SystemPath, fresh: () => SystemPath): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    if (!inTheWay.includes(systemCode(error) ?? '')) throw error;
    removePieces(folder, fresh);
  }
}

/** Moves each subfolder to a fresh path first, so that no path grows. */
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
      // The system refuses to move a folder that its owner cannot write.
      chmodSync(path, 0o700);
      const moved = fresh();
      renameSync(path, moved);
      left.push(moved);
    }
    rmdirSync(at);
  }
}
