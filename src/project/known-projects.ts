import { isAbsolute, join } from 'node:path';
import { existsOnDisk, RealDisk } from '../disk/real-disk.ts';
import { makeProjectFolder } from '../host/project-folder.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The list of a person's projects, which `status --all` shows: absolute paths, one per line, in
 * `mailroom/projects` of `$XDG_CONFIG_HOME`, by default `~/.config`.
 */
export class KnownProjects {
  /** Absolute; null: neither XDG_CONFIG_HOME nor HOME is set. */
  readonly file: string | null;
  readonly #folder: string | null;

  constructor({ XDG_CONFIG_HOME: configured = '', HOME: home = '' }: Environment) {
    // The specification ignores a relative path.
    const folder = isAbsolute(configured) ? configured : isAbsolute(home) ? join(home, '.config') : null;
    this.#folder = folder && join(folder, 'mailroom');
    this.file = this.#folder && join(this.#folder, 'projects');
  }

  /** In the order of the file, each once. Lines that are not absolute paths are ignored. */
  list(): string[] {
    if (this.#folder === null || !existsOnDisk(this.#folder, 'folder')) return [];
    const text = new RealDisk(this.#folder, null).read('projects', 1024 * 1024)?.toString('utf8') ?? '';
    const lines = text.split('\n').map((line) => line.trim());
    return [...new Set(lines.filter((line) => isAbsolute(line)))];
  }

  /** Adds a project at the end, unless it is listed. */
  add(root: string): void {
    const listed = this.list();
    if (!listed.includes(root) && !root.includes('\n')) this.#write([...listed, root]);
  }

  drop(roots: readonly string[]): void {
    this.#write(this.list().filter((root) => !roots.includes(root)));
  }

  #write(roots: readonly string[]): void {
    if (this.#folder === null) return;
    makeProjectFolder(this.#folder);
    new RealDisk(this.#folder, null).write('projects', roots.map((root) => `${root}\n`).join(''));
  }
}
