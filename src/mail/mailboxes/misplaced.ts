import { join, type Disk } from '../../disk/disk.ts';
import { enumerate } from '../../kernel/enumerate.ts';
import { MailroomError } from '../../kernel/errors.ts';
import type { RoleName } from '../../kernel/ids.ts';
import type { Protocol } from '../format/protocol.ts';
import { nearest } from '../../kernel/nearest.ts';
import { mailMatching, rolesOnDisk, type IsMail } from './mail-files.ts';

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
 * role, or under a name that `inboxPatterns` do not match.
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
  const inbox = join(home, 'inbox');
  const unnamed = filesIn(disk, inbox, (name) => !isMail(name));
  const ending = /\.\w+$/.exec(unnamed[0] ?? '')?.[0] ?? '.txt';
  const beside = filesIn(disk, home, (name) => isMail(name) && !isNote.test(name));
  return [
    ...named(
      inbox,
      unnamed,
      'the name of a message ends in .md',
      `rename it, or set \`inbox_patterns: ['*${ending}']\` in mailroom.yaml`,
    ),
    ...named(home, beside, 'it is not in the inbox', `move mail to ${inbox}/, and other files to a folder`),
    ...nearBoxes(disk, role).flatMap(({ folder, box }) =>
      named(folder, filesIn(disk, folder), 'no box has this name', `move it to ${join(home, box)}/`),
    ),
  ];
}

/** Folders whose names are almost those of a box. */
function nearBoxes(disk: Disk, role: RoleName): { readonly folder: string; readonly box: string }[] {
  const home = join('agents', role);
  const boxes = ['inbox', 'outbox'];
  return (disk.list(home) ?? []).flatMap((name) => {
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
    return named(folder, filesIn(disk, folder), `no role is called \`${name}\``, hint);
  });
}

/** Files that programs leave behind or are still writing do not count. */
const isTemporary = /^\.|~$|\.(?:tmp|part|swp|bak)$/;

/** Looks only at the files whose names count: an inbox can hold thousands of others. */
function filesIn(disk: Disk, folder: string, counts = (_name: string): boolean => true): string[] {
  if (disk.look(folder)?.kind !== 'folder') return [];
  return (disk.list(folder) ?? [])
    .filter(
      (name) => !isTemporary.test(name) && counts(name) && disk.look(join(folder, name))?.kind === 'file',
    )
    .toSorted();
}

/** How many files a line names; it counts the rest. */
const most = 3;

function named(folder: string, names: readonly string[], why: string, hint: string): Misplaced[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, most).join(', ');
  const rest = names.length > most ? ` and ${String(names.length - most)} more` : '';
  const are = names.length === 1 ? 'is' : 'are';
  return [{ message: `${join(folder, shown)}${rest} ${are} not read: ${why}`, hint }];
}
