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
const most = 128;
/** How long they stay open, in milliseconds: what another machine changes may show only then. */
const longest = 1_000;

/** By path, the most recently used last. */
const open = new Map<string, OpenFolder & { readonly descriptor: number }>();
/** Those of them that were examined since the program last made a pause. */
const examined = new Set<string>();
let closing: NodeJS.Timeout | undefined;

/**
 * The folder at an absolute path; null: it does not exist. It is examined once while the program
 * works without a pause, and stays open for a second. Throws the system's error.
 */
export function openFolder(path: string): OpenFolder | null {
  const known = open.get(path);
  if (known !== undefined) {
    open.delete(path);
    if (examined.has(path) || isStillAt(path, known)) {
      open.set(path, known);
      return known;
    }
    closeSync(known.descriptor);
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

/** What the system shows after the path of a removed folder, or for a byte that is not UTF-8. */
const unclear = / \(deleted\)$|\ufffd/;

/** Whether the path leads to this folder. With a link on the way only that link could say so. */
function isStillAt(path: string, { at, real }: OpenFolder): boolean {
  if (real !== path || unclear.test(path) || readlinkSync(at) !== path) return false;
  wasExamined(path);
  return true;
}

function keepOpen(path: string, descriptor: number): OpenFolder {
  const at = `/proc/self/fd/${String(descriptor)}`;
  const folder = { at, real: nameFromBytes(readlinkSync(at, 'buffer')), descriptor };
  if (open.size === 0) closing = setTimeout(closeFolders, longest).unref();
  const [oldest] = open.keys();
  if (open.size === most && oldest !== undefined) {
    closeSync(open.get(oldest)!.descriptor);
    open.delete(oldest);
  }
  open.set(path, folder);
  wasExamined(path);
  return folder;
}

function wasExamined(path: string): void {
  if (examined.size === 0) queueMicrotask(() => examined.clear());
  examined.add(path);
}

/** Closes all folders: the next use of each examines it anew. Call it once folders have moved. */
export function closeFolders(): void {
  clearTimeout(closing);
  for (const { descriptor } of open.values()) closeSync(descriptor);
  open.clear();
  examined.clear();
}
