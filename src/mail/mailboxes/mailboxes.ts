import { MailroomError } from '../../kernel/errors.ts';
import { Accepting, acceptingFolder } from './accepting.ts';
import { messageBytes, readContent } from '../../disk/contents.ts';
import { join } from '../../disk/disk.ts';
import type { Disk, FileStat } from '../../disk/disk.ts';
import type { Writing } from '../../disk/writers.ts';
import { isMarkdown, markOfSent, type IsMail } from './mail-files.ts';
import { Settling } from './settling.ts';
import type { Glance, Settled } from './settling.ts';
import type { MessageId, RoleName } from '../../kernel/ids.ts';
import type { Box, Dropped, Folder } from '../format/boxes.ts';

/** The messages in a box. */
export interface BoxNames {
  /** Sorted. */
  readonly names: readonly string[];
  /** False: more lies there than was asked for. */
  readonly isWhole: boolean;
}

/**
 * The mail folders of a project:
 * `agents/<role>/{inbox,outbox,processed/<month>,sent/<month>,failed/<month>}`. Synchronous; every
 * read or write error is `E_DISK`, so that "cannot read" never looks like "empty". Nothing here is
 * synced, as the journal can project all of it again.
 */
export class Mailboxes {
  readonly #disk: Disk;
  readonly #isMail: IsMail;
  /** The files that were accepted and that the journal does not have yet. */
  readonly accepting: Accepting;
  /** By folder. */
  readonly #settling = new Map<string, Settling>();

  /** `isMail`: which dropped files of an inbox are messages. */
  constructor(disk: Disk, isMail = isMarkdown) {
    this.#disk = disk;
    this.#isMail = isMail;
    this.accepting = new Accepting(disk);
  }

  /** Creates the folders of these roles. Returns the roles whose inbox was missing. */
  prepare(roles: readonly RoleName[]): RoleName[] {
    this.#disk.makeFolder(acceptingFolder);
    return roles.filter((role) => {
      const missing = this.#disk.look(boxPath(role, 'inbox')) === null;
      for (const folder of ['inbox', 'outbox', 'processed', 'sent', 'failed']) {
        this.#disk.makeFolder(join(rolePath(role), folder));
      }
      return missing;
    });
  }

  /** The names of the messages in a role's box, sorted. Null: the folder is missing. */
  list(role: RoleName, box: Box): readonly string[] | null {
    return this.look(role, box, Infinity)?.names ?? null;
  }

  /** Like `list`, of the first `most` files of any name. */
  look(role: RoleName, box: Box, most: number): BoxNames | null {
    const folder = boxPath(role, box);
    const all = this.#disk.list(folder, most + 1);
    const isWhole = all === null || all.length <= most;
    const names = all?.slice(0, most).filter(box === 'inbox' ? this.#isMail : isMarkdown);
    const settling = this.#settling.get(folder);
    if (settling !== undefined && settling.size > 0 && isWhole) settling.keepOnly(new Set(names));
    return names === undefined ? null : { names: names.toSorted(), isWhole };
  }

  /** Looks at a dropped file. */
  glance(file: Dropped, now: number): Glance {
    return this.#settlingOf(file).look(file.name, pathOf(file), now);
  }

  /** When a dropped file was last written, in milliseconds since 1970; 0: it is gone. */
  written(file: Dropped): number {
    return this.#disk.look(pathOf(file))?.mtimeMs ?? 0;
  }

  /** Which dropped files a process has open for writing; of our own commands none is. */
  writing(files: readonly Dropped[]): Map<Dropped, Writing> {
    const foreign = files.filter(({ box, name }) => box === 'inbox' || markOfSent(name) === null);
    const found = this.#disk.writing(foreign.map(pathOf));
    const writing = new Map<Dropped, Writing>(files.map((file) => [file, 'none']));
    for (const [index, file] of foreign.entries()) writing.set(file, found[index] ?? 'unknown');
    return writing;
  }

  /**
   * Whether a dropped file is complete, by a look at it: written by no process, not empty,
   * unchanged for 10 ms, its front matter closed. `wait`: look again at that time. `refuse`: it
   * stayed empty or unclosed for 2 s. Where the writers are not known, it must be unchanged for
   * 2 s, and may lack something for a minute.
   */
  settled(file: Dropped, glance: Glance, writing: Writing | undefined): Settled {
    return this.#settlingOf(file).judge(glance, pathOf(file), writing);
  }

  #settlingOf({ role, box }: Dropped): Settling {
    const folder = boxPath(role, box);
    let settling = this.#settling.get(folder);
    if (settling === undefined) this.#settling.set(folder, (settling = new Settling(this.#disk)));
    return settling;
  }

  /** Moves a dropped file, by one rename, to a name with its new id. False: it was gone. */
  accept(file: Dropped, id: MessageId): boolean {
    this.#settlingOf(file).forget(file.name);
    return this.accepting.take(pathOf(file), file, id);
  }

  /**
   * Moves an accepted file that is not text (a folder, a link, something binary) to `failed`,
   * unchanged.
   */
  keep(id: MessageId, role: RoleName, month: string, name: string): boolean {
    return this.accepting.move(id, join(filedPath(role, 'failed', month), name));
  }

  /** Moves an accepted file back to the inbox, as if it had just been dropped there. */
  putBack(id: MessageId, role: RoleName, name: string): void {
    this.accepting.move(id, join(boxPath(role, 'inbox'), name));
  }

  /**
   * The text of a file in a folder, in any month; null when it is missing. Throws `E_FILE` when it
   * is not text.
   */
  read(role: RoleName, folder: Folder, name: string): string | null {
    const path = this.#find(role, folder, name);
    // A message of the maximum size becomes a slightly larger file.
    const content = path === null ? 'gone' : readContent(this.#disk, path, 2 * messageBytes);
    if (content === 'gone') return null;
    if (!content.ok) throw new MailroomError('E_FILE', `cannot read ${path}: ${content.problem}`);
    return content.text;
  }

  /** True when that folder of the role has a file of this name (in any month). */
  holds(role: RoleName, folder: Folder, name: string): boolean {
    return this.#find(role, folder, name) !== null;
  }

  /** Writes a whole file (temporary and rename); ignores `month` for the inbox. */
  put(role: RoleName, folder: Folder, month: string, name: string, text: string): void {
    if (folder === 'withdrawn') return;
    this.#disk.write(join(placePath(role, folder, month), name), text);
  }

  /** Moves inbox/name to a folder; writes `text` there when the inbox does not have it. */
  file(role: RoleName, folder: Folder, month: string, name: string, text: string): void {
    const waiting = join(boxPath(role, 'inbox'), name);
    if (folder === 'withdrawn') {
      this.#disk.remove(waiting);
      return;
    }
    const place = join(placePath(role, folder, month), name);
    if (place !== waiting && this.#moveUnchanged(waiting, place, text)) return;
    if (this.#disk.look(place) === null) this.#disk.write(place, text);
  }

  /**
   * Removes failed/name, with the reason beside it, if it exists: the message is back in the inbox.
   */
  unfail(role: RoleName, month: string, name: string): void {
    const place = join(filedPath(role, 'failed', month), name);
    if (this.#disk.look(place) === null) return;
    // The reason first: after a crash in between, the message is found and both steps are repeated.
    this.#disk.remove(reasonPath(place));
    this.#disk.remove(place);
  }

  /** Removes inbox/name or outbox/name if it exists. */
  remove(role: RoleName, box: Box, name: string): void {
    this.#disk.remove(join(boxPath(role, box), name));
  }

  /**
   * False: the file is missing. An edited file does not change the message: its original text is
   * filed, and the file removed.
   */
  #moveUnchanged(waiting: string, place: string, text: string): boolean {
    const look = this.#disk.look(waiting);
    if (look === null) return false;
    const isSameSize = look.kind === 'file' && look.size === Buffer.byteLength(text);
    if (isSameSize && this.#says(waiting, look, text)) return this.#disk.rename(waiting, place) === 'moved';
    this.#disk.write(place, text);
    this.#disk.remove(waiting);
    return true;
  }

  /** Whether a file of the same size contains exactly this text. False when it cannot be read. */
  #says(path: string, look: FileStat, text: string): boolean {
    const content = readContent(this.#disk, path, 2 * messageBytes, look);
    return content !== 'gone' && content.ok && content.text === text;
  }

  /** The path of a file of that name, in any month; null: not found. */
  #find(role: RoleName, folder: Folder, name: string): string | null {
    if (folder === 'withdrawn') return null;
    const existing = (path: string): string | null => (this.#disk.look(path) === null ? null : path);
    if (folder === 'inbox') return existing(join(boxPath(role, 'inbox'), name));
    const likely = monthInName(name);
    const first = likely === null ? null : existing(join(filedPath(role, folder, likely), name));
    if (first !== null) return first;
    for (const month of this.#disk.list(join(rolePath(role), folder)) ?? []) {
      if (month === likely || !isMonth.test(month)) continue;
      const found = existing(join(filedPath(role, folder, month), name));
      if (found !== null) return found;
    }
    return null;
  }
}

const isMonth = /^\d{4}-\d{2}$/;

function rolePath(role: RoleName): string {
  return join('agents', role);
}

function boxPath(role: RoleName, box: Box): string {
  return join(rolePath(role), box);
}

function pathOf({ role, box, name }: Dropped): string {
  return join(boxPath(role, box), name);
}

function filedPath(role: RoleName, folder: 'processed' | 'sent' | 'failed', month: string): string {
  return join(join(rolePath(role), folder), month);
}

function reasonPath(path: string): string {
  return `${path}.reason.txt`;
}

function placePath(role: RoleName, folder: Exclude<Folder, 'withdrawn'>, month: string): string {
  return folder === 'inbox' ? boxPath(role, 'inbox') : filedPath(role, folder, month);
}

/** `2026-11` for a name that begins with `202611`, as canonical names do. */
function monthInName(name: string): string | null {
  const digits = /^(\d{4})(\d{2})/.exec(name);
  return digits === null ? null : `${digits[1]}-${digits[2]}`;
}
