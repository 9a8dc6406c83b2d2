import { join } from '../disk/disk.ts';
import type { Disk } from '../disk/disk.ts';
import { problemWith } from '../kernel/contained.ts';
import type { Read } from '../letters/letters.ts';
import { putAside } from './refused.ts';
import { readSealed, writeSealed } from './seal.ts';

/** The folder for commands to the mail host; a run has a folder of its own. */
export const controlFolder = '.mailroom/control';

/** The maximum size of a command, in bytes. */
const commandBytes = 1024 * 1024;

/** How many files are read at once; the others are read after these have gone. */
const mostRead = 1_000;

/** How many refused files of one look are named; the others are counted. */
const mostNamed = 10;

/**
 * A file of another process, without its seal; `text` is null if it is not readable as text or
 * Mailroom did not write it, and `problem` says why.
 */
type LeftFile =
  | { readonly name: string; readonly text: string; readonly problem: null }
  | { readonly name: string; readonly text: null; readonly problem: string };

/** Command files in a control folder. */
export class Control {
  readonly #disk: Disk;
  /** The folder of the files, relative to the project. */
  readonly folder: string;

  constructor(disk: Disk, folder = controlFolder) {
    this.#disk = disk;
    this.folder = folder;
  }

  /**
   * The waiting command files, by name, which begins with a uuid v7: oldest first. Dot files, and
   * files other than `*.json`, are ignored.
   */
  list(): LeftFile[] {
    const names = this.#disk.list(this.folder) ?? [];
    return names
      .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
      .toSorted()
      .slice(0, mostRead)
      .flatMap((name): LeftFile[] => {
        const content = readSealed(this.#disk, join(this.folder, name), commandBytes);
        if (content === 'gone') return [];
        if (content.ok) return [{ name, text: content.text, problem: null }];
        return [{ name, text: null, problem: content.problem }];
      });
  }

  remove(name: string): void {
    this.#disk.remove(join(this.folder, name));
  }

  /** Puts a file aside that cannot be followed, unchanged, with the reason beside it. */
  refuse(name: string, problem: string): void {
    putAside(this.#disk, join(this.folder, name), problem);
  }
}

/** A file in a control folder that cannot be followed. */
export interface RefusedFile {
  /** Relative to the project. */
  readonly path: string;
  readonly name: string;
  /** Null: it is not readable as text, or Mailroom did not write it. */
  readonly text: string | null;
  readonly problem: string;
  /** How many more files of the folder cannot be followed, and are not reported. */
  readonly others: number;
}

/** How a host handles the files in a control folder. */
interface Verbs<File> {
  read(text: string): Read<File>;
  /** Records the verdict on a file, once: a file that could not be removed comes again. */
  follow(file: File): void;
  /** Reports one that cannot be followed, once. */
  refused(file: RefusedFile): void;
}

/** Follows the files in a control folder, which are removed or put aside once that is durable. */
export class ControlReader<File> {
  readonly #control: Control;
  readonly #verbs: Verbs<File>;
  /**
   * Handled files that are still in the folder; with the problem of those that cannot be followed.
   */
  readonly #taken = new Map<string, string | null>();
  #more = false;

  constructor(control: Control, verbs: Verbs<File>) {
    this.#control = control;
    this.#verbs = verbs;
  }

  /** Whether more files wait than the last `take` looked at. */
  get more(): boolean {
    return this.#more;
  }

  /** Waiting files that can be read. Throws `E_DISK`. */
  waiting(): File[] {
    return this.#control.list().flatMap((left) => {
      const read = this.#read(left);
      return read.ok ? [read.value] : [];
    });
  }

  /**
   * Follows the waiting files. Throws `E_DISK` when they cannot be read; files already followed
   * stay so.
   */
  take(): void {
    const before = this.#taken.size;
    const refused: Omit<RefusedFile, 'others'>[] = [];
    const waiting = this.#control.list();
    for (const left of waiting) {
      const { name, text } = left;
      // It was reported as not followed, whatever can be read there by now.
      if (typeof this.#taken.get(name) === 'string') continue;
      const read = this.#read(left);
      const problem = read.ok ? problemWith(() => this.#verbs.follow(read.value)) : read.problem;
      if (problem !== null) refused.push({ path: `${this.#control.folder}/${name}`, name, text, problem });
      this.#taken.set(name, problem);
    }
    // One of a flood stands for all that one look finds.
    const named = refused.slice(0, this.#more ? 1 : mostNamed);
    for (const [index, file] of named.entries())
      this.#verbs.refused({
        ...file,
        others: index === named.length - 1 ? refused.length - named.length : 0,
      });
    this.#more = waiting.length === mostRead && this.#taken.size > before;
  }

  #read(left: LeftFile): Read<File> {
    return left.text === null ? { ok: false, problem: left.problem } : this.#verbs.read(left.text);
  }

  /** Removes followed files, and puts aside the others. Call it after a flush. Throws `E_DISK`. */
  release(): void {
    for (const [name, problem] of this.#taken) {
      if (problem === null) this.#control.remove(name);
      else this.#control.refuse(name, problem);
      this.#taken.delete(name);
    }
  }
}

/**
 * Sends a command to the host: writes `<id>.json` into its control folder, atomically and sealed.
 * `id` is a uuid v7, the document the command. Returns the file's name.
 */
export function requestControl(disk: Disk, id: string, document: unknown, folder = controlFolder): string {
  const name = `${id}.json`;
  writeSealed(disk, join(folder, name), JSON.stringify(document, null, 2));
  return name;
}

/** Removes a command, if it is still there. */
export function withdrawControl(disk: Disk, id: string, folder: string): void {
  new Control(disk, folder).remove(`${id}.json`);
}

/**
 * Resolves when the journal of a host or its control folder has changed, at the latest after this
 * many milliseconds. `folder`: the host's, relative to the project.
 */
export async function hostChanged({ root }: Disk, folder: string, milliseconds: number): Promise<void> {
  const { untilChanged } = await import('../disk/watch.ts');
  const watched = ['journal', 'control'].map((name) => `${root}/${join(folder, name)}`);
  await untilChanged(watched, milliseconds);
}
