import { MailroomError } from '../core/errors.ts';
import type { RealDisk } from '../store/real-disk.ts';

/** Tells when the folder of a journal, from the project, was deleted or moved while somebody writes it; null: it is there. */
export function goneTeller(disk: RealDisk, folder: string): () => MailroomError | null {
  return () => {
    if (disk.look(folder)?.kind === 'folder') return null;
    const text = `${disk.root}/${folder} is gone: it was deleted or moved while it was in use, so all work was stopped`;
    return new MailroomError('E_DISK', text, 'put it back and start again, or begin anew');
  };
}
