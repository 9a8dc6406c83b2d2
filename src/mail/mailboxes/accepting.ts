import { orElse } from '../../kernel/contained.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { messageBytes, readContent } from '../../disk/contents.ts';
import { moveFree } from '../../disk/file-names.ts';
import { diskError, join } from '../../disk/disk.ts';
import type { Disk, FileStat } from '../../disk/disk.ts';
import type { RefusedFile } from '../../host/control.ts';
import { putAside } from '../../host/refused.ts';
import type { MessageId, RoleName } from '../../kernel/ids.ts';
import type { Accepted, Box, Dropped } from '../format/boxes.ts';

/** The folder of accepted files until the journal has them. */
export const acceptingFolder = '.mailroom/accepting';

interface Entry {
  readonly id: MessageId;
  readonly role: RoleName;
  readonly box: Box;
  readonly path: string;
  /** Null: it is being accepted. Else its `extent` when it was, and it is watched. */
  readonly extent: string | null;
}

/** A file that has been accepted, and may still be written. */
export interface Watched {
  readonly id: MessageId;
  readonly role: RoleName;
  /** The name that it was dropped under; null when no longer known. */
  readonly name: string | null;
  /** It has been written since it was accepted. */
  readonly hasGrown: boolean;
}

/**
 * The accepted files, each named `<id>~<role>~<box>`, so that a crash changes no id, and as long as
 * it is watched `<id>~<role>~<box>~<bytes>-<time>`. Only those that existed at the start, and those
 * that this process accepted, count.
 */
export class Accepting {
  readonly #disk: Disk;
  /** The names that files were dropped under; unknown after a restart. */
  readonly #names = new Map<MessageId, string>();
  readonly #paths = new Map<MessageId, string>();
  /** The `extent` of each just before it was read. */
  readonly #extents = new Map<MessageId, string>();
  #hasLooked = false;
  readonly #refused: RefusedFile[] = [];

  constructor(disk: Disk) {
    this.#disk = disk;
    // A folder that cannot be listed yet is looked at by the first call that can.
    orElse(() => this.#entries(), []);
  }

  /** One rename. False: the file was gone. */
  take(path: string, file: Dropped, id: MessageId): boolean {
    const entry = join(acceptingFolder, `${id}~${file.role}~${file.box}`);
    if (this.#moved(path, entry) === 'missing') return false;
    this.#names.set(id, file.name);
    this.#paths.set(id, entry);
    return true;
  }

  /**
   * Errors leave out the target: each attempt has a new id, and repeated failures must be reported
   * as one.
   */
  #moved(path: string, entry: string): 'moved' | 'missing' | 'exists' {
    try {
      return this.#disk.rename(path, entry);
    } catch (error) {
      if (!(error instanceof MailroomError) || error.code !== 'E_DISK') throw error;
      throw diskError('accept', path, error.cause ?? error);
    }
  }

  /** Oldest id first. */
  all(): Accepted[] {
    return this.#entries().flatMap(({ id, role, box, path, extent }) => {
      if (extent !== null) return [];
      const look = this.#disk.look(path);
      this.#extents.set(id, extentOf(look));
      const content = readContent(this.#disk, path, messageBytes, look);
      return content === 'gone' ? [] : [{ id, role, box, name: this.#names.get(id) ?? null, content }];
    });
  }

  /** Whether it has been written since it was read. */
  hasGrown(id: MessageId): boolean {
    const path = this.#path(id);
    const look = path === null ? null : this.#disk.look(path);
    return look !== null && extentOf(look) !== (this.#extents.get(id) ?? extentOf(look));
  }

  /** Keeps an accepted file that the journal has, because it may still be written. */
  watch(id: MessageId): void {
    const path = this.#path(id);
    if (path === null) return;
    const watched = `${path}~${this.#extents.get(id) ?? extentOf(null)}`;
    if (this.#disk.rename(path, watched) === 'moved') this.#paths.set(id, watched);
  }

  watched(): Watched[] {
    return this.#entries().flatMap(({ id, role, path, extent }) => {
      const look = extent === null ? null : this.#disk.look(path);
      const name = this.#names.get(id) ?? null;
      return look === null ? [] : [{ id, role, name, hasGrown: extentOf(look) !== extent }];
    });
  }

  /** Files that another program put there, and that were put aside since the last call. */
  refused(): RefusedFile[] {
    return this.#refused.splice(0);
  }

  remove(id: MessageId): void {
    const path = this.#path(id);
    if (path !== null) this.#disk.remove(path);
    this.#forget(id);
  }

  /** Moves an accepted file to a path, or to a free one beside it. False: it is gone. */
  move(id: MessageId, to: string): boolean {
    const path = this.#path(id);
    if (path === null) return false;
    const moved = moveFree(this.#disk, path, to);
    this.#forget(id);
    return moved !== null;
  }

  #forget(id: MessageId): void {
    for (const known of [this.#names, this.#paths, this.#extents]) known.delete(id);
  }

  #path(id: MessageId): string | null {
    return this.#paths.get(id) ?? this.#entries().find((entry) => entry.id === id)?.path ?? null;
  }

  #entries(): Entry[] {
    const entries = (this.#disk.list(acceptingFolder) ?? []).toSorted().flatMap((name): Entry[] => {
      const [id, role, box, extent = null, ...rest] = name.split('~');
      if (id === undefined || role === undefined || rest.length > 0) return [];
      if (extent !== null && !/^\d+--?\d+$/.test(extent)) return [];
      return box === 'inbox' || box === 'outbox'
        ? [{ id, role, box, extent, path: join(acceptingFolder, name) }]
        : [];
    });
    if (!this.#hasLooked) for (const { id, path } of entries) this.#paths.set(id, path);
    this.#hasLooked = true;
    return entries.filter((entry) => this.#isOwn(entry));
  }

  /** Puts aside what is not. */
  #isOwn({ id, path }: Entry): boolean {
    if (this.#paths.get(id) === path) return true;
    const problem = 'another program put it there while Mailroom was running';
    putAside(this.#disk, path, problem);
    this.#refused.push({
      path,
      name: path.slice(acceptingFolder.length + 1),
      text: null,
      problem,
      others: 0,
    });
    return false;
  }
}

/** The size of a file and when it was last written: they change when it is written. */
function extentOf(look: FileStat | null): string {
  return `${String(look?.size ?? 0)}-${String(Math.trunc(look?.mtimeMs ?? 0))}`;
}
