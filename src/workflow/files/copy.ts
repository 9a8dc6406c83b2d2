import { createHash } from 'node:crypto';
import { MailroomError } from '../../kernel/errors.ts';
import { join, parentOf, temporaryEnding } from '../../disk/disk.ts';
import type { Disk } from '../../disk/disk.ts';
import type { Guard } from './guard.ts';
import { realPath } from './paths.ts';
import type { Survey, SurveyedFile } from './survey.ts';

/** The size of a copied chunk, in bytes. */
const chunkBytes = 4 * 1024 * 1024;

/**
 * Makes `folder/name` hold all of a survey, atomically: the folder is unchanged until the last file
 * is durable. Safe to repeat after a crash at any point. Never copies a link, nor through one that
 * appears meanwhile.
 */
export function putFolder(source: Disk, survey: Survey, target: Disk, folder: string, name: string): void {
  const [fresh, old] = [join(folder, `.${name}.new`), join(folder, `.${name}.old`)];
  target.remove(fresh);
  try {
    for (const path of survey.folders) target.makeFolder(below(fresh, path));
    for (const file of survey.files) copyFile(source, file, target, below(fresh, file.to));
    for (const path of survey.folders.toReversed()) target.syncFolder(below(fresh, path));
  } catch (error) {
    removeQuietly(target, fresh);
    throw error;
  }
  target.remove(old);
  target.rename(join(folder, name), old);
  target.rename(fresh, join(folder, name));
  target.syncFolder(folder);
  target.remove(old);
}

/**
 * Copies the surveyed files below a folder of a workspace, each by one rename, leaving other files
 * there unchanged. `owner` names the only process that may do this there, so that a crash leaves at
 * most one temporary file per folder, which the next call replaces. The files are durable: later
 * iterations use them, and nothing copies them again. Throws `E_PATH` before writing anything when
 * a link below the folder leads out of the root, or a file would lie in a guarded path.
 */
export function layFiles(source: Disk, survey: Survey, target: Disk, to: Laid): void {
  const { folder, owner, guard } = to;
  const places = new Map<string, string>();
  // The outer folders come first, and what is in the place of one is the cause.
  for (const path of survey.folders) {
    const place = realPath(target, below(folder, path));
    places.set(path, place);
    guard(target, place, below(folder, path));
    const kind = place === '' ? 'folder' : (target.look(place)?.kind ?? 'folder');
    if (kind !== 'folder')
      throw new MailroomError(
        'E_FILE',
        `cannot place an input at ${place}: a ${kind} is there`,
        'choose another place with `as`',
      );
  }
  const placeOf = ({ to: path }: SurveyedFile) =>
    join(places.get(parentOf(path)) ?? '', path.slice(path.lastIndexOf('/') + 1));
  for (const file of survey.files) guard(target, placeOf(file), below(folder, file.to));
  const temporary = temporaryOf(owner);
  for (const place of places.values()) target.makeFolder(place);
  for (const file of survey.files) {
    const place = placeOf(file);
    const draft = join(parentOf(place), temporary);
    copyFile(source, file, target, draft);
    target.rename(draft, place);
  }
  for (const place of new Set(places.values())) target.syncFolder(place);
}

/** The destination of inputs, and the step they are for. */
export interface Laid {
  readonly folder: string;
  readonly owner: string;
  readonly guard: Guard;
}

/**
 * Writes a string into a workspace by one rename; a crash leaves at most what the next call
 * replaces. See `layFiles`.
 */
export function layText(target: Disk, path: string, text: string, owner: string): void {
  const temporary = join(parentOf(path), temporaryOf(owner));
  target.remove(temporary);
  try {
    const file = target.openAppend(temporary);
    try {
      file.write(Buffer.from(text));
    } finally {
      file.close();
    }
    target.rename(temporary, path);
  } catch (error) {
    removeQuietly(target, temporary);
    throw error;
  }
}

function temporaryOf(owner: string): string {
  return `.${createHash('sha256').update(owner).digest('hex').slice(0, 16)}${temporaryEnding}`;
}

/**
 * Copies bytes and the executable bit, durably. A file that grows meanwhile is copied up to its
 * previous size.
 */
function copyFile(source: Disk, file: SurveyedFile, target: Disk, to: string): void {
  target.remove(to);
  const copy = target.openAppend(to, file.executable ? 0o777 : 0o666);
  try {
    while (copy.size < file.size) {
      const bytes = source.readItself(file.from, Math.min(chunkBytes, file.size - copy.size), copy.size);
      if (bytes === null || bytes.length === 0)
        throw new MailroomError('E_FILE', `${file.from} changed while it was copied`);
      copy.write(bytes);
    }
    copy.sync();
  } finally {
    copy.close();
  }
}

function below(folder: string, path: string): string {
  if (path === '') return folder;
  return folder === '' ? path : `${folder}/${path}`;
}

/** The caller reports the original error, not one of the removal. */
function removeQuietly(disk: Disk, path: string): void {
  try {
    disk.remove(path);
  } catch {
    // The next call removes it first.
  }
}
