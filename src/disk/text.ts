import { readSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { MailroomError, messageOf } from '../kernel/errors.ts';
import { messageBytes, problem, readContent, textIn } from './contents.ts';
import { existsOnDisk, RealDisk } from './real-disk.ts';
import type { Content } from '../kernel/content.ts';

/** A file that is there: its text, or why it is none. */
export type FoundText =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string };

/** What lies at an absolute path; null: there is nothing. */
export function findText(path: string): FoundText | null {
  const descriptor = descriptorIn(path);
  if (descriptor !== null) return foundIn(path, readDescriptor(descriptor));
  if (!existsOnDisk(dirname(path), 'folder')) return null;
  const folder = new RealDisk(dirname(path));
  const content = readContent(folder, folder.resolve(basename(path)) ?? basename(path));
  return content === 'gone' ? null : foundIn(path, content);
}

function foundIn(path: string, content: Content): FoundText {
  return content.ok ? content : { ok: false, problem: `cannot read ${path}: ${content.problem}` };
}

/** What the shell has opened for us and names like a file: `<(…)`, `/dev/stdin`. Null: it is no such name. */
function descriptorIn(path: string): number | null {
  if (path === '/dev/stdin') return 0;
  const [, number] = /^\/(?:dev|proc\/self)\/fd\/(\d{1,9})$/.exec(path) ?? [];
  return number === undefined ? null : Number(number);
}

/** All that comes until its writer closes it; of more than a text may have only so much that it is too much. */
function readDescriptor(descriptor: number): Content {
  const bytes = Buffer.alloc(messageBytes + 1);
  let size = 0;
  try {
    for (let count = -1; count !== 0 && size < bytes.length; size += count)
      count = readSync(descriptor, bytes, size, bytes.length - size, null);
  } catch (error) {
    return problem(messageOf(error));
  }
  return textIn(bytes.subarray(0, size));
}

/** The text of a file that a person named, by its absolute path; null: there is none. Throws `E_FILE` for what is no text. */
export function readText(path: string): string | null {
  const found = findText(path);
  if (found === null) return null;
  if (found.ok) return found.text;
  throw new MailroomError('E_FILE', found.problem);
}
