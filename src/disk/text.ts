import { readSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { MailroomError, messageOf } from '../kernel/errors.ts';
import { messageBytes, problem, readContent, textIn } from './contents.ts';
import { existsOnDisk, RealDisk } from './real-disk.ts';
import type { Content } from '../kernel/content.ts';

/** The text of an existing file, or why it is not text. */
type FoundText =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string };

/** The file at an absolute path; null: it does not exist. */
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

/**
 * The descriptor of a path that the shell has opened: `<(…)`, `/dev/stdin`. Null: not such a path.
 */
function descriptorIn(path: string): number | null {
  if (path === '/dev/stdin') return 0;
  const [, number] = /^\/(?:dev|proc\/self)\/fd\/(\d{1,9})$/.exec(path) ?? [];
  return number === undefined ? null : Number(number);
}

/** Everything until the writer closes it, cut off just above the size limit. */
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

/**
 * The text of a file that a person named, by its absolute path; null: it does not exist. Throws
 * `E_FILE` when it is not text.
 */
export function readText(path: string): string | null {
  const found = findText(path);
  if (found === null) return null;
  if (found.ok) return found.text;
  throw new MailroomError('E_FILE', found.problem);
}
