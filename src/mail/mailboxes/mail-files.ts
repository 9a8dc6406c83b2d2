import picomatch from 'picomatch';
import { readContent } from '../../disk/contents.ts';
import { join } from '../../disk/disk.ts';
import type { Disk } from '../../disk/disk.ts';
import type { MessageId, RoleName } from '../../kernel/ids.ts';
import type { Folder } from '../format/boxes.ts';
import { idInName } from '../format/message.ts';

/** A message file in a mail folder. */
interface MailFile {
  readonly name: string;
  /** Relative to the project. */
  readonly path: string;
  readonly text: string;
}

const byMonth: ReadonlySet<string> = new Set(['processed', 'sent', 'failed']);

/** Which files of an inbox are messages, by their names. */
export type IsMail = (name: string) => boolean;

/**
 * Files that end in `.md`, and those that one of the globs (`inbox_patterns`) matches; none that is
 * hidden.
 */
export function mailMatching(patterns: readonly string[]): IsMail {
  const matches = patterns.length === 0 ? () => false : picomatch([...patterns], { flags: 's' });
  return (name) => !name.startsWith('.') && (name.endsWith('.md') || matches(name));
}

/** The names of all mail that Mailroom writes. */
export const isMarkdown = mailMatching([]);

/**
 * The mark in the name of a file that `mailroom send` puts into an outbox, whole and at once; null:
 * another program wrote it.
 */
export function markOfSent(name: string): string | null {
  return /^send-(.*)\.md$/.exec(name)?.[1] ?? null;
}

/** The names of the messages in a folder, sorted; empty without a folder. */
export function mailNames(disk: Disk, folder: string, isMail = isMarkdown): string[] {
  const names = disk.look(folder)?.kind === 'folder' ? (disk.list(folder) ?? []) : [];
  return names.filter(isMail).toSorted();
}

/** The messages that a role has handled or sent, with their paths, by the names of files alone. */
export function mailIn(disk: Disk, role: RoleName, folder: 'processed' | 'sent'): Map<MessageId, string> {
  const found = foldersOf(disk, role, folder).flatMap((place) =>
    mailNames(disk, place).map((name) => [idInName(name) ?? '', join(place, name)] as const),
  );
  return new Map(found.filter(([id]) => id !== ''));
}

function foldersOf(disk: Disk, role: RoleName, folder: Folder | 'outbox'): string[] {
  const top = join(join('agents', role), folder);
  return byMonth.has(folder) ? (disk.list(top) ?? []).toSorted().map((month) => join(top, month)) : [top];
}

/**
 * The text files of a mail folder, in all months, by path; omits files that are not readable text.
 */
export function readMail(disk: Disk, role: RoleName, folder: Folder | 'outbox'): MailFile[] {
  return foldersOf(disk, role, folder).flatMap((place) =>
    mailNames(disk, place).flatMap((name): MailFile[] => {
      const path = join(place, name);
      const content = readContent(disk, path);
      return content !== 'gone' && content.ok ? [{ name, path, text: content.text }] : [];
    }),
  );
}

/** The roles that have a folder in `agents/`. */
export function rolesOnDisk(disk: Disk): RoleName[] {
  return (disk.list('agents') ?? [])
    .filter((name) => disk.look(join('agents', name))?.kind === 'folder')
    .toSorted();
}
