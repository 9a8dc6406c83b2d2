import { join } from 'node:path';
import { MailroomError } from '../kernel/errors.ts';
import type { RealDisk } from '../disk/real-disk.ts';
import { lstatSync } from 'node:fs';

/** Returns why nothing may be recorded any more; null while all is well. */
export type WhyGone = () => MailroomError | null;

/**
 * Reports that a locked file was removed or replaced: from then on another process may lock the new one. Make it right after
 * the locks were taken. Paths are from the project.
 */
export function lockWatch(disk: RealDisk, locks: readonly string[]): WhyGone {
  const held = locks.map((file) => [file, identityOf(join(disk.root, file))] as const);
  return () => {
    const lost = held.find(
      ([file, identity]) => identity !== null && identityOf(join(disk.root, file)) !== identity,
    );
    return lost === undefined ? null : replaced(`${disk.root}/${lost[0]}`);
  };
}

/** Reports the same, and that the folder of the journal (a path from the project) was removed. */
export function journalWatch(disk: RealDisk, folder: string, locks: WhyGone): WhyGone {
  return () => (disk.look(folder)?.kind === 'folder' ? locks() : gone(`${disk.root}/${folder}`));
}

function gone(folder: string): MailroomError {
  const text = `${folder} is gone: it was deleted or moved while it was in use, so all work was stopped`;
  return new MailroomError('E_DISK', text, 'put it back and start again, or begin anew');
}

function replaced(file: string): MailroomError {
  return new MailroomError(
    'E_LOCKED',
    `${file} was removed or replaced while it was held, so all work was stopped and nothing more was recorded`,
    'start again; a lock ends with its process, so no file of .mailroom/ ever needs to be removed for it',
  );
}

/** Names what lies at an absolute path, as long as it exists: another file of the same path has another. Null: nothing is there. */
export function identityOf(path: string): string | null {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined ? null : `${String(stats.dev)}:${String(stats.ino)}`;
}
