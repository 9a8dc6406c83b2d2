import { endOfId, type RoleName } from '../../kernel/ids.ts';
import { MailroomError } from '../../kernel/errors.ts';
import type { Project } from '../../project/project.ts';
import type { DoneDocument } from '../../documents/inbox.ts';
import { readInbox, type WaitingItem } from './inbox.ts';
import { pathIn } from './messages.ts';
import { entryAt } from './positions.ts';

/**
 * Puts notices away: their files move from the inboxes of these people to `processed`, which a
 * controller takes as read. `words`: ids, their beginnings or ends, or `@2`; null: all of them.
 * Throws `E_TARGET` for an unknown word, and `E_REFUSED` for what waits for an answer,
 * before anything moves.
 */
export async function putAway(
  project: Project,
  as: RoleName | null,
  words: readonly string[] | null,
): Promise<DoneDocument> {
  const { items } = await readInbox(project, as);
  const chosen = words?.map((word) => noticeAt(items, word)) ?? items.filter(({ kind }) => kind === 'notice');
  const ids = new Set(chosen.map(({ id }) => id));
  const moved = new Set<string>();
  for (const { message, role } of project.journal.state().unread.values()) {
    if (!ids.has(message.id) || (as !== null && role !== as)) continue;
    const [waiting, done] = [pathIn('inbox', message, role), pathIn('processed', message, role)];
    if (project.disk.rename(waiting, done) === 'moved') moved.add(message.id);
  }
  return { schema: 1, done: [...moved] };
}

function noticeAt(items: readonly WaitingItem[], word: string): WaitingItem {
  const item =
    entryAt(items, word) ??
    items.find(({ id }) => word.length >= 4 && (id.startsWith(word) || id.endsWith(word)));
  if (item === undefined)
    throw new MailroomError('E_TARGET', `no notice is \`${word}\``, 'list them with `mailroom inbox`');
  if (item.kind === 'notice') return item;
  const what = item.run === null ? endOfId(item.id) : item.id;
  const [command = ''] = item.command.split('\n');
  throw new MailroomError('E_REFUSED', `${what} waits for you: it is not a notice`, command);
}
