import { counted } from '../../kernel/enumerate.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { join, temporaryEnding } from '../../disk/disk.ts';
import type { Disk, FileStat } from '../../disk/disk.ts';
import type { Guard } from './guard.ts';

/** What to copy of a file or folder; its paths are relative to the destination. */
export interface Survey {
  /** Every folder precedes its contents; the topmost is the empty path. */
  readonly folders: readonly string[];
  readonly files: readonly SurveyedFile[];
  /** What is left out, and why. */
  readonly warnings: readonly string[];
}

export interface SurveyedFile {
  /** In the source, with links followed. */
  readonly from: string;
  readonly to: string;
  readonly size: number;
  readonly executable: boolean;
}

/** A single file as the content of a folder, under a given name. */
export function surveyFile(disk: Disk, path: string, name: string): Survey {
  const look = disk.look(path);
  const files = look?.kind === 'file' ? [surveyed(path, name, look)] : [];
  return { folders: [''], files, warnings: [] };
}

/**
 * Everything in a folder (plain, links followed). A link to a file inside the root becomes that
 * file; one that leads out of the root throws `E_PATH`. Other links and special files are left out
 * with a warning. `leaveOut` filters each path of the source; `guard` checks what links lead to.
 * Throws `E_FILE` for more than `most` entries, at any depth.
 */
export function surveyFolder(
  disk: Disk,
  folder: string,
  leaveOut: (path: string) => boolean,
  guard: Guard | null = null,
  most = Infinity,
): Survey {
  const folders: string[] = [];
  const files: SurveyedFile[] = [];
  const warnings: string[] = [];
  let room = most;
  const walk = (from: string, to: string): void => {
    folders.push(to);
    const names = disk.list(from, room + 1) ?? [];
    room -= names.length;
    if (room < 0)
      throw new MailroomError(
        'E_FILE',
        `${folder === '' ? 'the workspace' : folder} has more than ${counted(most, 'file')}, the most that is copied`,
        'pack them into one file, such as a .tar.gz',
      );
    for (const name of names.toSorted()) {
      const path = join(from, name);
      if (name.endsWith(temporaryEnding) || leaveOut(path)) continue;
      const look = disk.look(path);
      if (look?.kind === 'folder') walk(path, join(to, name));
      else if (look?.kind === 'file') files.push(surveyed(path, join(to, name), look));
      else if (look?.kind === 'link') follow(path, join(to, name));
      else if (look !== null) warnings.push(`${path} is a ${look.kind} and was left out`);
    }
  };
  const follow = (path: string, to: string): void => {
    const real = disk.resolve(path);
    const look = real === null ? null : disk.look(real);
    if (real !== null) guard?.(disk, real, path);
    if (real !== null && look?.kind === 'file') files.push(surveyed(real, to, look));
    else warnings.push(`${path} is a link to ${look === null ? 'nothing' : 'a folder'} and was left out`);
  };
  walk(folder, '');
  return { folders, files, warnings };
}

function surveyed(from: string, to: string, { size, executable }: FileStat): SurveyedFile {
  return { from, to, size, executable };
}
