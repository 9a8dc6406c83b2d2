import { lstatSync, readdirSync, readFileSync, readlinkSync, statSync, type Stats } from 'node:fs';
import { geteuid } from 'node:process';
import { oneLine } from '../kernel/one-line.ts';
import { listProcesses } from '../process/proc.ts';

/**
 * Whether a process has a file open for writing, as far as the system shows. `unknown`: one that we
 * cannot look at may have.
 */
export type Writing = 'none' | 'unknown' | { readonly by: string };

/** The name of the outermost process namespace: everything that runs on the machine is in it. */
const outermost = 'pid:[4026531836]';

/** A file as the system knows it, whatever its names are. */
type Identity = string;

/** An open file of a process: `/proc/<pid>/fd/<number>`. */
interface Handle {
  readonly pid: number;
  readonly number: string;
}

/**
 * Finds which files are being written. Remembers who wrote them, so that to ask again costs little.
 */
export class Writers {
  readonly #known = new Map<Identity, Handle>();

  /** For each of these absolute paths. */
  of(paths: readonly (string | Buffer)[]): Writing[] {
    const files = paths.map((path) => attempt(() => lstatSync(path)));
    const wanted = new Set(files.flatMap((file) => (file === null ? [] : [identityOf(file)])));
    for (const [file, handle] of this.#known)
      if (wanted.has(file) && writes(handle, file)) wanted.delete(file);
      else this.#known.delete(file);
    const isListed = wanted.size === 0 || this.#find(wanted);
    return files.map((file) => {
      if (file === null) return 'unknown';
      const handle = this.#known.get(identityOf(file));
      if (handle !== undefined) return { by: nameOf(handle) };
      return (isListed && isVisible(file)) || hasBeenMoved(file) ? 'none' : 'unknown';
    });
  }

  /** Looks through the open files of all processes. False: the system does not list them. */
  #find(wanted: ReadonlySet<Identity>): boolean {
    const pids = attempt(() => listProcesses()) ?? [];
    for (const pid of pids)
      for (const number of attempt(() => readdirSync(`/proc/${pid}/fd`)) ?? []) {
        const handle = { pid, number };
        const file = openedBy(handle);
        if (file !== null && wanted.has(file) && isForWriting(handle)) this.#known.set(file, handle);
      }
    return pids.length > 0;
  }
}

function identityOf({ dev, ino }: Stats): Identity {
  return `${String(dev)}:${String(ino)}`;
}

/**
 * Whether all who may write this file can be seen: those of its owner, if that is us, or everybody
 * if we are root and in no container.
 */
function isVisible({ uid }: Stats): boolean {
  const own = geteuid?.();
  if (uid === own) return true;
  return own === 0 && attempt(() => readlinkSync('/proc/self/ns/pid')) === outermost;
}

/** A file that got its name after its last byte was complete before. */
function hasBeenMoved({ ctimeMs, mtimeMs }: Stats): boolean {
  return ctimeMs > mtimeMs;
}

function writes(handle: Handle, file: Identity): boolean {
  return openedBy(handle) === file && isForWriting(handle);
}

function openedBy({ pid, number }: Handle): Identity | null {
  const found = attempt(() => statSync(`/proc/${pid}/fd/${number}`));
  return found?.isFile() === true ? identityOf(found) : null;
}

/** The two lowest bits of the flags (octal) say how the file was opened; 0: for reading. */
function isForWriting({ pid, number }: Handle): boolean {
  const text = attempt(() => readFileSync(`/proc/${pid}/fdinfo/${number}`, 'latin1'));
  const flags = Number.parseInt(/^flags:\s*([0-7]+)/m.exec(text ?? '')?.[1] ?? '0', 8);
  return (flags & 3) !== 0;
}

function nameOf({ pid }: Handle): string {
  const name = attempt(() => readFileSync(`/proc/${pid}/comm`, 'utf8'))?.trim() ?? '';
  return `process ${pid}${name === '' ? '' : ` (${oneLine(name, 40)})`}`;
}

/** Null: the process has ended, or belongs to somebody else. */
function attempt<T>(look: () => T): T | null {
  try {
    return look();
  } catch {
    return null;
  }
}
