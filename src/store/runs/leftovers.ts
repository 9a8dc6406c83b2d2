import { join, temporaryEnding } from '../disk.ts';
import type { Disk } from '../disk.ts';

/** Removes half-written files that a program which was killed left anywhere in a folder that nobody else writes now. */
export function removeLeftovers(disk: Disk): void {
  const waiting = [''];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop())
    for (const name of disk.list(folder) ?? []) {
      const path = join(folder, name);
      if (name.startsWith('.') && name.endsWith(temporaryEnding)) disk.remove(path);
      else if (disk.look(path)?.kind === 'folder') waiting.push(path);
    }
}
