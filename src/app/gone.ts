import { join } from 'node:path';
import { MailroomError } from '../core/errors.ts';
import { identityOf } from '../store/identity.ts';
import type { RealDisk } from '../store/real-disk.ts';

/**
 * Tells, while somebody writes a journal, that its folder or a file that they hold a lock on was removed or replaced: from then
 * on somebody else may write there, too. Null: all is as it was when this was made, which is right after the locks were taken.
 * Paths are from the project.
 */
export function goneTeller(
  disk: RealDisk,
  folder: string,
  locks: readonly string[],
): () => MailroomError | null {
  const held = locks.map((file) => [file, identityOf(join(disk.root, file))] as const);
  return () => {
    if (disk.look(folder)?.kind !== 'folder') return gone(`${disk.root}/${folder}`);
    const lost = held.find(
      ([file, identity]) => identity !== null && identityOf(join(disk.root, file)) !== identity,
    );
    return lost === undefined ? null : replaced(`${disk.root}/${lost[0]}`);
  };
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
