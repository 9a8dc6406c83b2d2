import { join, type Disk, type Kind } from '../../disk/disk.ts';
import { enumerate } from '../../kernel/enumerate.ts';
import { MailroomError } from '../../kernel/errors.ts';
import type { RoleName } from '../../kernel/ids.ts';
import type { Protocol } from '../format/protocol.ts';
import { nearest } from '../../kernel/nearest.ts';
import { isMarkdown, mailMatching, rolesOnDisk, type IsMail } from './mail-files.ts';

/** Files that look like mail where no role reads them. */
export interface Misplaced {
  readonly message: string;
  /** Where they belong, or what makes them mail. */
  readonly hint: string;
}

/** As one line. */
export function misplacedText({ message, hint }: Misplaced): string {
  return `${message}; ${hint}`;
}

/**
 * Mail that no role reads: in a folder that is not a role's or not its inbox, beside the boxes of a
 * role, or under a name that is not one of mail, in an inbox by `inboxPatterns`. However much lies
 * in a folder, only its first entries are looked at.
 */
export function misplacedMail(
  disk: Disk,
  { roles }: Pick<Protocol, 'roles'>,
  { inboxPatterns }: { readonly inboxPatterns: readonly string[] },
): Misplaced[] {
  const isMail = mailMatching(inboxPatterns);
  return readable(() => rolesOnDisk(disk)).flatMap((name) =>
    readable(() =>
      roles.has(name) ? ofRole(disk, name, isMail) : ofStranger(disk, name, [...roles.keys()]),
    ),
  );
}

/** What cannot be read counts as empty here: those who need it report that. */
function readable<T>(read: () => T[]): T[] {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof MailroomError)) throw error;
    return [];
  }
}

/** Agent programs and people keep such files beside the boxes: role.md, README.md, CLAUDE.md. */
const isNote = /^(?:role|[A-Z][A-Z_-]*)\.md$/;

function ofRole(disk: Disk, role: RoleName, isMail: IsMail): Misplaced[] {
  const home = join('agents', role);
  const [inbox, outbox] = [join(home, 'inbox'), join(home, 'outbox')];
  const beside = entriesIn(disk, home, (name) => isMail(name) && !isNote.test(name)).only(disk, ['file']);
  const unread = entriesIn(disk, inbox, (name) => !isMail(name));
  const ending = /\.\w+$/.exec(unread.names[0] ?? '')?.[0] ?? '.txt';
  const pattern = `, or set \`inbox_patterns: ['*${ending}']\` in mailroom.yaml`;
  return [
    ...misnamed(disk, unread, pattern),
    ...misnamed(
      disk,
      entriesIn(disk, outbox, (name) => !isMarkdown(name)),
      '',
    ),
    ...named(beside, 'it is not in the inbox', `move mail to ${inbox}/, and other files to a folder`),
    ...nearBoxes(disk, role).flatMap(({ folder, box }) =>
      named(filesIn(disk, folder), 'no box has this name', `move it to ${join(home, box)}/`),
    ),
  ];
}

/** What lies in a box under a name that is not one of mail. `pattern`: another way to fix it. */
function misnamed(disk: Disk, entries: Entries, pattern: string): Misplaced[] {
  const folders = entries.only(disk, ['folder']);
  const others = entries.only(disk, ['file', 'link', 'fifo', 'socket', 'device']);
  return [
    ...named(others, 'the name of a message ends in .md', `rename it${pattern}`),
    ...named(folders, 'it is a folder', `move the messages in it to ${entries.folder}/`),
  ];
}

/** Folders whose names are almost those of a box. */
function nearBoxes(disk: Disk, role: RoleName): { readonly folder: string; readonly box: string }[] {
  const home = join('agents', role);
  const boxes = ['inbox', 'outbox'];
  return (disk.list(home, mostListed) ?? []).toSorted().flatMap((name) => {
    const box = boxes.includes(name) ? null : nearest(name, boxes);
    return box === null ? [] : [{ folder: join(home, name), box }];
  });
}

function ofStranger(disk: Disk, name: string, roles: readonly RoleName[]): Misplaced[] {
  const near = nearest(name, roles);
  return ['inbox', 'outbox'].flatMap((box) => {
    const folder = join(join('agents', name), box);
    const hint =
      near === null
        ? `move it to the ${box} of a role: ${enumerate(roles)}`
        : `move it to agents/${near}/${box}/`;
    return named(filesIn(disk, folder), `no role is called \`${name}\``, hint);
  });
}

/** Files that programs leave behind or are still writing do not count. */
const isTemporary = /^\.|~$|\.(?:tmp|part|swp|bak)$/;

/** So many entries of a folder are listed, and so many of those are looked at. */
const mostListed = 1_000;
const mostLooked = 200;

/** Some entries of a folder. */
class Entries {
  readonly folder: string;
  /** Sorted. */
  readonly names: readonly string[];
  /** False: there are more than were listed. */
  readonly isWhole: boolean;

  constructor(folder: string, names: readonly string[], isWhole: boolean) {
    this.folder = folder;
    this.names = names;
    this.isWhole = isWhole;
  }

  /** Those of these kinds, and those that were not looked at. */
  only(disk: Disk, kinds: readonly Kind[]): Entries {
    const looked = this.names.slice(0, mostLooked).filter((name) => {
      const kind = disk.look(join(this.folder, name))?.kind;
      return kind !== undefined && kinds.includes(kind);
    });
    const rest = looked.length === 0 ? [] : this.names.slice(mostLooked);
    return new Entries(this.folder, [...looked, ...rest], this.isWhole);
  }
}

/** Those of a folder whose names count. */
function entriesIn(disk: Disk, folder: string, counts = (_name: string): boolean => true): Entries {
  const isFolder = disk.look(folder)?.kind === 'folder';
  const all = isFolder ? (disk.list(folder, mostListed) ?? []) : [];
  const names = all.filter((name) => !isTemporary.test(name) && counts(name)).toSorted();
  return new Entries(folder, names, all.length < mostListed);
}

function filesIn(disk: Disk, folder: string): Entries {
  return entriesIn(disk, folder).only(disk, ['file']);
}

/** How many files a line names; it counts the rest. */
const most = 3;

function named({ folder, names, isWhole }: Entries, why: string, hint: string): Misplaced[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, most).join(', ');
  const rest =
    names.length > most ? ` and ${isWhole ? '' : 'at least '}${String(names.length - most)} more` : '';
  const are = names.length === 1 ? 'is' : 'are';
  return [{ message: `${join(folder, shown)}${rest} ${are} not read: ${why}`, hint }];
}
