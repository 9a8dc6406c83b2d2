import { realpathSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { parentOf, type FileStat } from './disk.ts';
import { RealDisk } from './real-disk.ts';

/** Texts that an editor has not saved, by absolute path. Follows links in the folders of a path. */
export class UnsavedTexts {
  readonly #texts = new Map<string, string>();

  set(path: string, text: string): void {
    this.#texts.set(realPath(path), text);
  }

  delete(path: string): void {
    this.#texts.delete(realPath(path));
  }

  /** Null: the file has no unsaved text. */
  get(path: string): string | null {
    return this.#texts.size === 0 ? null : (this.#texts.get(realPath(path)) ?? null);
  }

  /** The names in a folder that lead to unsaved texts: of files, and of folders that hold some. */
  namesIn(folder: string): string[] {
    const below = folder.endsWith(sep) ? folder : folder + sep;
    const inside = [...this.#texts.keys()].filter((path) => path.startsWith(below));
    return [...new Set(inside.map((path) => path.slice(below.length).split(sep)[0]!))];
  }
}

/** An absolute path with the links of its folder resolved; the file itself need not exist. */
export function realPath(path: string): string {
  return join(realFolder(dirname(path)), basename(path));
}

/** The part of a path that exists, with its links resolved, and the rest as it is. */
function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return dirname(folder) === folder ? folder : join(realFolder(dirname(folder)), basename(folder));
  }
}

/** The files of a root for reading, with unsaved texts in place of their files. */
export class UnsavedDisk extends RealDisk {
  readonly #unsaved: UnsavedTexts;

  constructor(root: string, unsaved: UnsavedTexts) {
    super(root);
    this.#unsaved = unsaved;
  }

  #bytes(path: string): Buffer | null {
    const text = path === '' ? null : this.#unsaved.get(join(this.root, path));
    return text === null ? null : Buffer.from(text);
  }

  override list(folder: string, most?: number): string[] | null {
    const names = super.list(folder, most);
    const unsaved = this.#unsaved.namesIn(join(this.root, folder));
    return unsaved.length === 0 ? names : [...new Set([...(names ?? []), ...unsaved])];
  }

  override look(path: string): FileStat | null {
    const bytes = this.#bytes(path);
    const look = super.look(path);
    if (bytes === null) return look ?? this.#folderOfUnsaved(path);
    return { kind: 'file', size: bytes.length, mtimeMs: look?.mtimeMs ?? 0, executable: false };
  }

  /** A folder that exists only because a file that was never saved will lie in it. */
  #folderOfUnsaved(path: string): FileStat | null {
    const isFolder = this.#unsaved.namesIn(join(this.root, path)).length > 0;
    return isFolder ? { kind: 'folder', size: 0, mtimeMs: 0, executable: false } : null;
  }

  override read(path: string, maxBytes: number, from = 0): Buffer | null {
    return this.#bytes(path)?.subarray(from, from + maxBytes) ?? super.read(path, maxBytes, from);
  }

  override resolve(path: string): string | null {
    const real = super.resolve(path);
    if (real !== null || this.#bytes(path) === null) return real;
    const folder = parentOf(path);
    const known = folder === '' ? '' : (super.resolve(folder) ?? folder);
    return known === '' ? basename(path) : `${known}/${basename(path)}`;
  }
}
