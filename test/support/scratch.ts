import { mkdirSync, statfsSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';

const memory = '/dev/shm';
const tmpfs = 0x01_02_19_94;
const roomBytes = 4e9;

/**
 * Where tests make their scratch folders: in memory, where the system has that and there is room, else in the usual place.
 * ext4 takes many times as long for a new file while thousands were removed shortly before.
 */
export function scratchRoot(): string {
  if (process.env['TMPDIR'] !== undefined) return tmpdir();
  try {
    const { type, bavail, bsize } = statfsSync(memory);
    if (type !== tmpfs || bavail * bsize < roomBytes) return tmpdir();
    const root = `${memory}/mailroom-tests-${String(userInfo().uid)}`;
    mkdirSync(root, { recursive: true, mode: 0o700 });
    return root;
  } catch {
    return tmpdir();
  }
}
