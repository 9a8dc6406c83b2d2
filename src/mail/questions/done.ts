import { endOfId, type MessageId, type RoleName } from '../../kernel/ids.ts';
import { MailroomError } from '../../kernel/errors.ts';
import type { Project } from '../../project/project.ts';
import type { DoneDocument } from '../../documents/inbox.ts';
import { handledIds } from '../mailboxes/mail-files.ts';
import { peopleIn, readInbox, type WaitingItem } from './inbox.ts';
import { pathIn } from './messages.ts';
import { entryAt } from './positions.ts';

/**
 * Puts notices away: their files move from the inboxes of these people to `processed`, which a
 * controller takes as read. `words`: ids, their beginnings or ends, or `@2`; null: all of them. One
 * that was put away before stays where it is. Throws `E_TARGET` for an unknown word, and
 * `E_REFUSED` for what waits for an answer, before anything moves.
 */
export async function putAway(
  project: Project,
  as: RoleName | null,
  words: readonly string[] | null,
): Promise<DoneDocument> {
  const { items } = await readInbox(project, as);
  const notices = items.filter(({ kind }) => kind === 'notice').map(({ id }) => id);
  const handled = words?.every((word) => itemAt(items, word)) === false ? await handledBy(project, as) : [];
  const ids = new Set(words?.map((word) => noticeAt(items, handled, word)) ?? notices);
  const moved = new Set<string>();
  for (const { message, role } of project.journal.state().unread.values()) {
    if (!ids.has(message.id) || (as !== null && role !== as)) continue;
    const [waiting, done] = [pathIn('inbox', message, role), pathIn('processed', message, role)];
    if (project.disk.rename(waiting, done) === 'moved') moved.add(message.id);
  }
  return { schema: 1, done: [...moved], before: [...ids].filter((id) => !moved.has(id)) };
}

/** What these people have handled. */
async function handledBy(project: Project, as: RoleName | null): Promise<readonly MessageId[]> {
  const roles = as === null ? await peopleIn(project) : [as];
  return roles.flatMap((role) => handledIds(project.disk, role));
}

function itemAt(items: readonly WaitingItem[], word: string): WaitingItem | undefined {
  return entryAt(items, word) ?? items.find(({ id }) => isNamed(id, word));
}

function isNamed(id: MessageId, word: string): boolean {
  return word.length >= 4 && (id.startsWith(word) || id.endsWith(word));
}

/** The notice that a word means, in the inbox or handled before. */
function noticeAt(items: readonly WaitingItem[], handled: readonly MessageId[], word: string): MessageId {
  const item = itemAt(items, word);
  const before = item === undefined ? handled.find((id) => isNamed(id, word)) : undefined;
  if (before !== undefined) return before;
  if (item === undefined)
    throw new MailroomError('E_TARGET', `no notice is \`${word}\``, 'list them with `mailroom inbox`');
  if (item.kind === 'notice') return item.id;
  const what = item.run === null ? endOfId(item.id) : item.id;
  const [command = ''] = item.command.split('\n');
  throw new MailroomError('E_REFUSED', `${what} waits for you: it is not a notice`, command);
}
