import { MailroomError } from '../../kernel/errors.ts';
import type { Launch } from '../machine/launch.ts';
import type { OwnWorkspace } from '../model.ts';
import { parentOf, temporaryEnding, type Disk, checkPath, join, pathError } from '../../disk/disk.ts';
import type { Guard } from './guard.ts';
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

/**
 * A path of a workflow with its own workspace, from its base: it is relative to the workspace, even
 * if it begins with the workspace's name, and may lead up to the base. Throws `E_PATH` for an
 * absolute path, for one that leads out of the base, and where a link lies on the way.
 */
function homePath(base: Disk, { workspace }: OwnWorkspace, path: string): string {
  if (path.startsWith('/')) throw pathError(path, 'it is absolute');
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  const from = names[0] === workspace ? [] : [workspace];
  const way: string[] = [];
  for (const name of [...from, ...names]) {
    if (name !== '..') way.push(name);
    else if (way.pop() === undefined) throw pathError(path, 'it leads out of the project');
  }
  checkPath(way.join('/'));
  refuseLinks(base, way, path);
  return way.join('/');
}

/** The same for a file below a folder of the workspace, which it must not leave. */
function homePlace(base: Disk, { workspace }: OwnWorkspace, folder: string, path: string): string {
  if (path.startsWith('/')) throw pathError(path, 'it is absolute');
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  if (names.includes('..')) throw pathError(path, `it leads out of ${folder}`);
  if (names.length === 0) throw pathError(path, `it is not a file in ${folder}`);
  const way = [workspace, ...folder.split('/'), ...names];
  checkPath(way.join('/'));
  refuseLinks(base, way, path);
  return way.join('/');
}

function refuseLinks(base: Disk, way: readonly string[], path: string): void {
  let here = '';
  for (const name of way) {
    here = join(here, name);
    if (base.look(here)?.kind === 'link') throw pathError(path, `${here} is a link`);
  }
}
