import { join } from 'node:path';
import { MailroomError } from '../kernel/errors.ts';
import type { Disk } from '../disk/disk.ts';
import { lstatSync } from 'node:fs';

/** Returns why nothing can be recorded any more; null: it can. */
export type WhyGone = () => MailroomError | null;

/**
 * Detects that a locked file was removed or replaced: from then on another process may lock the new
 * one. Create it right after the locks are taken. Paths are relative to the project.
 */
export function lockWatch(disk: Disk, locks: readonly string[]): WhyGone {
  const held = locks.map((file) => [file, identityOf(join(disk.root, file))] as const);
  return () => {
    const lost = held.find(
      ([file, identity]) => identity !== null && identityOf(join(disk.root, file)) !== identity,
    );
    return lost === undefined ? null : replaced(`${disk.root}/${lost[0]}`);
  };
}

/** Detects the same, and that the folder of the journal (a path from the project) was removed. */
export function journalWatch(disk: Disk, folder: string, locks: WhyGone): WhyGone {
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

/**
 * Identifies the file at an absolute path: a replacement has another identity. Null: it does not
 * exist.
 */
function identityOf(path: string): string | null {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined ? null : `${String(stats.dev)}:${String(stats.ino)}`;
}
