import { MailroomError } from '../../kernel/errors.ts';
import type { Launch } from '../machine/launch.ts';
import type { OwnWorkspace } from '../model.ts';
import { parentOf, temporaryEnding } from '../../disk/disk.ts';
import type { Disk } from '../../disk/disk.ts';
import type { Guard } from './guard.ts';
import { homePath, homePlace } from './home.ts';
import { findPath, plainPath, realPath, realPlace } from './paths.ts';
import type { OpenRoot } from '../../disk/roots.ts';

type Printed = NonNullable<Launch['stdout']>;

/** Workspace files that programs read as standard input, and that receive their output. */
export class Streams {
  readonly #home: OwnWorkspace | null;
  readonly #guard: Guard;
  /**
   * The root of relative paths: the base of a workflow with its own workspace, else the workspace.
   */
  readonly #root: Disk;

  constructor(
    workspace: Disk,
    home: OwnWorkspace | null,
    { open, guard }: { readonly open: OpenRoot; readonly guard: Guard },
  ) {
    this.#guard = guard;
    this.#home = home;
    this.#root = home === null ? workspace : (open(baseOf(workspace.root, home)) ?? workspace);
  }

  /**
   * The file as a string; invalid UTF-8 is replaced. Throws `E_STEP` when it does not exist, and
   * `E_PATH`.
   */
  read(path: string): string {
    const real = this.#home === null ? findPath(this.#root, plainPath(path)) : this.#inHome(path, this.#home);
    const bytes = real === null || real === '' ? null : this.#file(real);
    if (bytes === null) throw new MailroomError('E_STEP', this.#missing(path, real));
    return bytes.toString('utf8');
  }

  #missing(path: string, real: string | null): string {
    const kind = real === null ? null : real === '' ? 'folder' : this.#root.look(real)?.kind;
    return kind == null || kind === 'file'
      ? `there is no file ${path} to read`
      : `cannot read ${path}: it is a ${kind}, not a file`;
  }

  #file(path: string): Buffer | null {
    return this.#root.look(path)?.kind === 'file' ? this.#root.read(path, Number.MAX_SAFE_INTEGER) : null;
  }

  #inHome(path: string, home: OwnWorkspace): string {
    return homePath(this.#root, home, path);
  }

  /** The destination of an output, from the root. Throws `E_PATH`. */
  place(to: Printed): string {
    const place = this.#placeOf(to);
    this.#guard(this.#root, place, to.path);
    return place;
  }

  #placeOf({ folder, path }: Printed): string {
    if (this.#home !== null) return homePlace(this.#root, this.#home, folder, path);
    const plain = plainPath(path);
    return realPlace(this.#root, plainPath(folder === '' ? plain : `${folder}/${plain}`));
  }

  /** Writes a whole file, durably, by one rename. */
  write(to: Printed, pieces: Iterable<Buffer>): void {
    const place = this.place(to);
    const beside = `${place}${temporaryEnding}`;
    this.#root.remove(beside);
    const appender = this.#root.openAppend(beside);
    try {
      for (const piece of pieces) appender.write(piece);
      appender.sync();
    } finally {
      appender.close();
    }
    this.#root.rename(beside, place);
    this.#root.syncFolder(parentOf(place));
  }

  /** Whether a file or folder exists. Throws `E_PATH`. */
  exists(path: string): boolean {
    if (this.#home === null) {
      const plain = plainPath(path);
      const real = plain === '' ? '' : findPath(this.#root, plain);
      return real !== null && (real === '' || this.#root.look(realPath(this.#root, real)) !== null);
    }
    const real = this.#inHome(path, this.#home);
    return real === '' || this.#root.look(real) !== null;
  }
}

/** The absolute path of the base that contains a workspace. */
export function baseOf(workspace: string, home: OwnWorkspace): string {
  const depth = home.workspace.split('/').length;
  return workspace.split('/').slice(0, -depth).join('/') || '/';
}
