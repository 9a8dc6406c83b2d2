import { lstatSync } from 'node:fs';

/** Names what lies at an absolute path, as long as it exists: another file of the same path has another. Null: nothing is there. */
export function identityOf(path: string): string | null {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined ? null : `${String(stats.dev)}:${String(stats.ino)}`;
}
