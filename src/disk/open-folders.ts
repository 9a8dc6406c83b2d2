import { closeSync, existsSync, lstatSync, openSync, readlinkSync, realpathSync } from 'node:fs';
import { isMissing } from './disk-attempts.ts';
import { nameFromBytes, pathForSystem } from './file-names.ts';

/** A folder, or whatever else lies at its path. */
export interface OpenFolder {
  /**
   * A path for the system, without the slash before a name. By its descriptor it leads to this very
   * folder, whatever an agent puts in its place meanwhile.
   */
  readonly at: string;
  /** Its path with all links followed. */
  readonly real: string;
}

/** Opens a descriptor that only names a file; node:fs lacks the constant. */
const O_PATH = 0o10000000;

/** Only Linux has a path for a descriptor; elsewhere a folder is examined just before each use. */
const hasDescriptorPaths = process.platform === 'linux' && existsSync('/proc/self/fd');

/** The maximum number of folders that stay open; no operation uses as many. */
const most = 64;

/** By path, the most recently used last. */
const open = new Map<string, OpenFolder & { readonly descriptor: number }>();

/**
 * The folder at an absolute path; null: it does not exist. It is opened and examined once, and
 * stays open while the program works without a pause. Throws the system's error.
 */
export function openFolder(path: string): OpenFolder | null {
  const known = open.get(path);
  if (known !== undefined) {
    open.delete(path);
    open.set(path, known);
    return known;
  }
  const system = pathForSystem(path);
  // A missing folder is a common answer, so it must not cost an error with its stack.
  if (lstatSync(system, { throwIfNoEntry: false }) === undefined) return null;
  try {
    if (hasDescriptorPaths) return keepOpen(path, openSync(system, O_PATH));
    return { at: path, real: nameFromBytes(realpathSync.native(system, 'buffer')) };
  } catch (error) {
    // A link leads nowhere.
    if (isMissing(error)) return null;
    throw error;
  }
}

function keepOpen(path: string, descriptor: number): OpenFolder {
  const at = `/proc/self/fd/${String(descriptor)}`;
  const folder = { at, real: nameFromBytes(readlinkSync(at, 'buffer')), descriptor };
  if (open.size === 0) queueMicrotask(closeFolders);
  const [oldest] = open.keys();
  if (open.size === most && oldest !== undefined) {
    closeSync(open.get(oldest)!.descriptor);
    open.delete(oldest);
  }
  open.set(path, folder);
  return folder;
}

/** Closes all folders: the next use of each examines it anew. Call it once folders have moved. */
export function closeFolders(): void {
  for (const { descriptor } of open.values()) closeSync(descriptor);
  open.clear();
}
