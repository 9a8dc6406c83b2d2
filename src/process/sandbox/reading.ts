import { closeSync, readlinkSync, readSync, realpathSync } from 'node:fs';
import type { ReadFile } from '../../providers/reading.ts';
import { openPlainFile, readOwnFile } from '../plain-file.ts';
import { isAbove } from './program-paths.ts';
import { realPlace } from './repository-place.ts';
import type { CommandLine } from '../../providers/provider.ts';

/**
 * The command line completed with content from files. Throws what `apply` throws, and if a file of
 * the user cannot be read.
 */
export function completed(command: CommandLine): CommandLine {
  const { reading } = command;
  if (reading === undefined) return command;
  const given = reading.apply(reading.files.map(textOf));
  return {
    ...command,
    ...given,
    env: { ...command.env, ...given.env },
    files: { ...command.files, ...given.files },
  };
}

function textOf({ path, within }: ReadFile): string | null {
  return within === null ? readOwnFile(path) : beginningOf(path, within.folder, within.bytes);
}

/**
 * A link may lead only to another file of the folder: otherwise an agent could have the user's
 * files quoted to it.
 */
function beginningOf(path: string, folder: string, bytes: number): string | null {
  const above = realPlace(folder);
  let descriptor: number | null = null;
  try {
    const real = realpathSync(path);
    descriptor = isAbove(above, real) ? openPlainFile(real) : null;
    if (descriptor === null || !isAbove(above, placeOf(descriptor, real))) return null;
    const text = Buffer.alloc(bytes);
    return text.toString('utf8', 0, readSync(descriptor, text, 0, bytes, 0));
  } catch {
    return null;
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

/**
 * The real path of an open file, even if a link has been put into its path meanwhile; only Linux
 * reports it.
 */
function placeOf(descriptor: number, path: string): string {
  return process.platform === 'linux' ? readlinkSync(`/proc/self/fd/${String(descriptor)}`) : path;
}
