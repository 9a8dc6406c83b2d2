import { MailroomError } from '../../kernel/errors.ts';
import { Accepting, acceptingFolder } from './accepting.ts';
import { messageBytes, readContent } from '../../disk/contents.ts';
import { join } from '../../disk/disk.ts';
import type { Disk } from '../../disk/disk.ts';
import { Settling } from './settling.ts';
import type { Settled } from './settling.ts';
import type { MessageId, RoleName } from '../../kernel/ids.ts';
import { freeNames } from '../../disk/file-names.ts';
import type { Accepted, Box, Dropped, Folder } from '../format/boxes.ts';

/**
 * The mail folders of a project: `agents/<role>/{inbox,outbox,processed/<month>,sent/<month>,failed/<month>}`. Synchronous; what
 * cannot be read or written throws `E_DISK`, so that "cannot read" never looks like "empty". Nothing here is synced: it can all
 * be projected again from the journal.
 */
export class Mailboxes {
  readonly #disk: Disk;
  readonly #accepting: Accepting;
  /** By folder. */
  readonly #settling = new Map<string, Settling>();

  constructor(disk: Disk) {
    this.#disk = disk;
    this.#accepting = new Accepting(disk);
  }

  /** Makes the folders of these roles. Returns the roles whose inbox was not there. */
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

  /** The `.md` names in a role's box, sorted. Null: the folder is gone. */
  list(role: RoleName, box: Box): string[] | null {
    const folder = boxPath(role, box);
    const names = this.#disk.list(folder)?.filter((name) => name.endsWith('.md') && !name.startsWith('.'));
    const settling = this.#settling.get(folder);
    if (settling !== undefined && settling.size > 0) settling.keepOnly(new Set(names));
    return names?.toSorted() ?? null;
  }

  /**
   * Whether a dropped file is complete: not empty, unchanged for 10 ms, its front matter closed. `wait`: look again at
   * that instant. `refuse`: it stayed empty or unclosed for 2 s.
   */
  settled(file: Dropped, now: number): Settled {
    const folder = boxPath(file.role, file.box);
    let settling = this.#settling.get(folder);
    if (settling === undefined) this.#settling.set(folder, (settling = new Settling(this.#disk)));
    return settling.judge(file.name, join(folder, file.name), now);
  }

  /** Takes a dropped file in, under a name that carries its new id, by one rename. False: it was gone. */
  accept(file: Dropped, id: MessageId): boolean {
    const folder = boxPath(file.role, file.box);
    this.#settling.get(folder)?.forget(file.name);
    return this.#accepting.take(join(folder, file.name), file, id);
  }

  /** Everything that was taken in and not yet released, oldest id first; reads each (only a regular file within the limit). */
  accepting(): Accepted[] {
    return this.#accepting.all();
  }

  /** Forgets a taken-in file, once the journal has it. */
  release(id: MessageId): void {
    this.#accepting.remove(id);
  }

  /** Moves a taken-in file that could not be read as text (a folder, a link, something binary) to `failed` as it is. */
  keep(id: MessageId, role: RoleName, month: string, name: string): boolean {
    return this.#accepting.move(id, filedPath(role, 'failed', month), freeNames(name));
  }

  /** The text of a file in a folder, in any month; null when it is not there. Throws `E_FILE` when something lies there that is no text. */
  read(role: RoleName, folder: Folder, name: string): string | null {
    const path = this.#find(role, folder, name);
    // What was written from a message of the largest size is a little larger.
    const content = path === null ? 'gone' : readContent(this.#disk, path, 2 * messageBytes);
    if (content === 'gone') return null;
    if (!content.ok) throw new MailroomError('E_FILE', `cannot read ${path}: ${content.problem}`);
    return content.text;
  }

  /** True when a file of this name lies in that folder of the role (in any month). */
  holds(role: RoleName, folder: Folder, name: string): boolean {
    return this.#find(role, folder, name) !== null;
  }

  /** Puts a whole file there (temporary and rename); `month` is ignored for the inbox. */
  put(role: RoleName, folder: Folder, month: string, name: string, text: string): void {
    if (folder === 'withdrawn') return;
    this.#disk.write(join(placePath(role, folder, month), name), text);
  }

  /** Moves inbox/name to a folder; puts `text` there when the inbox does not have it. */
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

  /** Removes failed/name, with the reason beside it, if it is there: the message was put back into the inbox. */
  unfail(role: RoleName, month: string, name: string): void {
    const place = join(filedPath(role, 'failed', month), name);
    if (this.#disk.look(place) === null) return;
    // The reason first: whoever is killed in between finds the message, and does both again.
    this.#disk.remove(reasonPath(place));
    this.#disk.remove(place);
  }

  /** Removes inbox/name or outbox/name if it is there. */
  remove(role: RoleName, box: Box, name: string): void {
    this.#disk.remove(join(boxPath(role, box), name));
  }

  /** False: nothing waits there any more. A file that somebody edited does not change what was said: it is removed. */
  #moveUnchanged(waiting: string, place: string, text: string): boolean {
    const look = this.#disk.look(waiting);
    if (look === null) return false;
    const isSameSize = look.kind === 'file' && look.size === Buffer.byteLength(text);
    if (isSameSize && this.#says(waiting, text)) return this.#disk.rename(waiting, place) === 'moved';
    this.#disk.write(place, text);
    this.#disk.remove(waiting);
    return true;
  }

  /** Whether a file of the same size holds just this text. What cannot be read does not. */
  #says(path: string, text: string): boolean {
    const content = readContent(this.#disk, path, 2 * messageBytes);
    return content !== 'gone' && content.ok && content.text === text;
  }

  /** Where a file of that name lies, in any month; null: nowhere. */
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
