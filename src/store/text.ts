import { basename, dirname } from 'node:path';
import { MailroomError } from '../core/errors.ts';
import { readContent } from './contents.ts';
import { existsOnDisk, RealDisk } from './real-disk.ts';

/** A file that is there: its text, or why it is none. */
export type FoundText =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string };

/** What lies at an absolute path; null: there is nothing. */
export function findText(path: string): FoundText | null {
  if (!existsOnDisk(dirname(path), 'folder')) return null;
  const folder = new RealDisk(dirname(path));
  const content = readContent(folder, folder.resolve(basename(path)) ?? basename(path));
  if (content === 'gone') return null;
  return content.ok ? content : { ok: false, problem: `cannot read ${path}: ${content.problem}` };
}

/** The text of a file that a person named, by its absolute path; null: there is none. Throws `E_FILE` for what is no text. */
export function readText(path: string): string | null {
  const found = findText(path);
  if (found === null) return null;
  if (found.ok) return found.text;
  throw new MailroomError('E_FILE', found.problem);
}
