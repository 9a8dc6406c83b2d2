import { createHash } from 'node:crypto';
import { MailroomError } from '../../kernel/errors.ts';
import { join, parentOf, temporaryEnding } from '../../disk/disk.ts';
import type { Disk } from '../../disk/disk.ts';
import type { Guard } from './guard.ts';
import { realPath } from './paths.ts';
import type { Survey, SurveyedFile } from './survey.ts';

/** How much of a file is in memory at once. */
const chunkBytes = 4 * 1024 * 1024;

/**
 * Makes `folder/name` hold what was surveyed, whole: until its last file is durable the folder is as it was. Safe to
 * repeat after a crash at any point. What is copied is never a link, nor behind one that was put there meanwhile.
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
 * Lays the surveyed files below a folder of a workspace, each by one rename, beside whatever else lies there. `owner`
 * names the one who may be doing this there, so that a crash leaves at most one temporary file a folder, which the next
 * time replaces. What was laid outlives a loss of power: later iterations go on with it, and nobody lays it again. Throws
 * `E_PATH` before anything is written when a link below the folder leads out of the root, or to what is guarded.
 */
export function layFiles(source: Disk, survey: Survey, target: Disk, to: Laid): void {
  const { folder, owner, guard } = to;
  const places = new Map(survey.folders.map((path) => [path, realPath(target, below(folder, path))]));
  for (const [path, place] of places) {
    guard(target, place, below(folder, path));
    const kind = place === '' ? 'folder' : (target.look(place)?.kind ?? 'folder');
    if (kind !== 'folder')
      throw new MailroomError('E_FILE', `${place} is a ${kind}: no input can be placed there`);
  }
  const temporary = temporaryOf(owner);
  for (const place of places.values()) target.makeFolder(place);
  for (const file of survey.files) {
    const place = places.get(parentOf(file.to)) ?? '';
    copyFile(source, file, target, join(place, temporary));
    target.rename(join(place, temporary), join(place, file.to.slice(file.to.lastIndexOf('/') + 1)));
  }
  for (const place of new Set(places.values())) target.syncFolder(place);
}

/** Where inputs are laid, and for whom. */
export interface Laid {
  readonly folder: string;
  readonly owner: string;
  readonly guard: Guard;
}

/** Puts a text into a workspace by one rename; a crash leaves at most what the next time replaces. See `layFiles`. */
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

/** Copies bytes and the right to be executed, durably. A file that grows meanwhile is copied up to the size that it had. */
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

/** The reason why it is removed is the one to be told. */
function removeQuietly(disk: Disk, path: string): void {
  try {
    disk.remove(path);
  } catch {
    // The next time it is removed first.
  }
}
