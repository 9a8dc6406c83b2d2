import { endOfId, type MessageId, type RoleName } from '../../kernel/ids.ts';
import { MailroomError } from '../../kernel/errors.ts';
import type { Project } from '../../project/project.ts';
import type { BackDocument, DoneDocument, HandledItem } from '../../documents/inbox.ts';
import { iso } from '../../kernel/times.ts';
import { oneLine } from '../../kernel/one-line.ts';
import { copyKey } from '../machine/fold/places.ts';
import { mailIn } from '../mailboxes/mail-files.ts';
import { noticeItem, peopleIn, readInbox, replacing, type WaitingItem } from './inbox.ts';
import { pathIn, readStored } from './messages.ts';
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
  const isKnown = words?.every((word) => itemAt(items, word)) !== false;
  const handled = isKnown ? [] : (await handledBy(project, as)).map(([id]) => id);
  const ids = new Set(words?.map((word) => noticeAt(items, handled, word)) ?? notices);
  const moved = new Set<string>();
  const state = project.journal.state();
  const replaced = replacing(state);
  for (const { message, role } of state.unread.values()) {
    // With the notice of a failure those of the attempts before it are read.
    if (!(ids.has(message.id) || ids.has(replaced(message) ?? '')) || (as !== null && role !== as)) continue;
    const [waiting, done] = [pathIn('inbox', message, role), pathIn('processed', message, role)];
    if (project.disk.rename(waiting, done) === 'moved') moved.add(message.id);
  }
  return { schema: 1, done: [...moved], before: [...ids].filter((id) => !moved.has(id)) };
}

/**
 * Undoes `putAway`: the files move back, and a controller takes them as unread. Throws `E_REFUSED`
 * for what was not put away, or is remembered no more, before anything moves.
 */
export async function putBack(project: Project, ids: readonly MessageId[]): Promise<BackDocument> {
  const people = await peopleIn(project);
  const { mail, unread } = project.journal.state();
  const moves = ids.flatMap((id) => {
    const copies = people.flatMap((role) => {
      const message = unread.get(copyKey(id, role))?.message ?? mail.get(id)?.message;
      const isRead = unread.has(copyKey(id, role)) || mail.get(id)?.deliveries.get(role)?.at === 'read';
      return message !== undefined && isRead ? [{ message, role }] : [];
    });
    if (copies.length > 0) return copies;
    throw new MailroomError(
      'E_REFUSED',
      `message ${endOfId(id)} cannot be put back: it was not put away, or its thread ended long ago`,
      `\`mailroom show ${endOfId(id)}\` shows it`,
    );
  });
  const moved = moves.filter(
    ({ message, role }) =>
      project.disk.rename(pathIn('processed', message, role), pathIn('inbox', message, role), {
        replace: false,
      }) === 'moved',
  );
  return { schema: 1, back: [...new Set(moved.map(({ message }) => message.id))] };
}

/** What people have put away or answered, the newest first, with the path of one copy of each. */
export async function handledBy(
  project: Project,
  as: RoleName | null,
): Promise<readonly (readonly [id: MessageId, path: string])[]> {
  const roles = as === null ? await peopleIn(project) : [as];
  return newestIn(project, roles, 'processed');
}

function newestIn({ disk }: Project, roles: readonly RoleName[], folder: 'processed' | 'sent') {
  const found = new Map(roles.flatMap((role) => [...mailIn(disk, role, folder)]));
  return [...found].toSorted(([a], [b]) => (a < b ? 1 : -1));
}

/** Handled mail as it is listed; what cannot be read as a message any more is left out. */
export async function handledItems(
  project: Project,
  handled: Awaited<ReturnType<typeof handledBy>>,
): Promise<HandledItem[]> {
  const state = project.journal.state();
  const answers = await answersIn(project);
  return handled.flatMap(([id, path]) => {
    const message = state.mail.get(id)?.message ?? readStored(project.files.read(path) ?? '');
    if (message === null) return [];
    const { to: _to, ...item } = noticeItem(state, message, []);
    return [{ ...item, answer: answers.get(id) ?? null }];
  });
}

/** So many of the newest messages of people are read. */
const mostAnswers = 200;

/** What people answered, by the message that asked. */
async function answersIn(project: Project): Promise<ReadonlyMap<MessageId, HandledItem['answer']>> {
  const sent = newestIn(project, await peopleIn(project), 'sent').slice(0, mostAnswers);
  return new Map(
    sent.flatMap(([, path]) => {
      const answer = readStored(project.files.read(path) ?? '');
      if (answer?.inReplyTo == null) return [];
      const text = oneLine(answer.body.trim().split('\n', 1)[0] ?? '', 160);
      return [[answer.inReplyTo, { text, at: iso(answer.created) }] as const];
    }),
  );
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
