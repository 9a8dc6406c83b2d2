import { basename, dirname } from 'node:path';
import { MailroomError } from '../core/errors.ts';
import { readContent } from './contents.ts';
import { existsOnDisk, RealDisk } from './real-disk.ts';

/** The text of a file that a person named, by its absolute path; null: there is none. Throws `E_FILE` for what is no text. */
export function readText(path: string): string | null {
  if (!existsOnDisk(dirname(path), 'folder')) return null;
  const folder = new RealDisk(dirname(path));
  const content = readContent(folder, folder.resolve(basename(path)) ?? basename(path));
  if (content === 'gone') return null;
  if (content.ok) return content.text;
  throw new MailroomError('E_FILE', `cannot read ${path}: ${content.problem}`);
}
