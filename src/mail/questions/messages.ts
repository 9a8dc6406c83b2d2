import { fileName, mailroom, monthOf, type Message } from '../format/message.ts';
import type { Delivery, Mail, MailState } from '../machine/state.ts';
import type { Project } from '../../project/project.ts';
import { reference } from './reference.ts';
import { iso } from '../../kernel/times.ts';
import type { MessageId, RoleName, ThreadId } from '../../kernel/ids.ts';
import { parseEnvelope } from '../format/read-message.ts';
import type { MessageDocument } from '../../documents/mail.ts';

/** A message with what the state still has of it. */
export interface KnownMessage {
  readonly message: Message;
  /** Null: the state has forgotten it; only its files are left. */
  readonly mail: Mail | null;
  /** Where copies of it were found or should be, the recipients' first. */
  readonly paths: readonly string[];
}

/** Every message of the project once, oldest first. */
export function allMessages(project: Project, state: MailState): KnownMessage[] {
  const found = new Map<MessageId, KnownMessage>();
  const names = new Set<string>();
  const add = (message: Message, mail: Mail | null, paths: readonly string[]) => {
    found.set(message.id, { message, mail, paths });
    names.add(fileName(message));
  };
  for (const mail of state.mail.values()) add(mail.message, mail, pathsOf(mail));
  for (const { message, role } of state.unread.values())
    if (!found.has(message.id)) add(message, null, [copyPath(message, role, { at: 'unread' }) ?? '']);
  for (const role of project.roles())
    for (const folder of ['processed', 'failed', 'inbox', 'sent'] as const)
      for (const { name, path, text } of project.mail(role, folder)) {
        // A canonical name belongs to one message: its other copies need not be read.
        if (names.has(name)) continue;
        const message = readStored(text);
        if (message && !found.has(message.id)) add(message, null, [path]);
      }
  return [...found.values()].toSorted(inOrder);
}

function inOrder(a: KnownMessage, b: KnownMessage): number {
  const byTime = a.message.created - b.message.created;
  if (byTime !== 0) return byTime;
  const byOrder = (a.mail?.order ?? 0) - (b.mail?.order ?? 0);
  if (byOrder !== 0) return byOrder;
  return a.message.id < b.message.id ? -1 : 1;
}

/** The expected paths of a message's copies: those of its recipients, then that of its author. */
function pathsOf({ message, deliveries }: Pick<Mail, 'message' | 'deliveries'>): string[] {
  const copies = [...deliveries].flatMap(([role, delivery]) => copyPath(message, role, delivery) ?? []);
  return message.from === mailroom ? copies : [...copies, sentPath(message)];
}

function sentPath(message: Message): string {
  return `agents/${message.from}/sent/${monthOf(message.created)}/${fileName(message)}`;
}

/**
 * The path of one recipient's copy; null: it has none any more. One that a person has read may have
 * been deleted.
 */
export function copyPath(message: Message, role: RoleName, { at }: Pick<Delivery, 'at'>): string | null {
  switch (at) {
    case 'inbox':
    case 'claimed':
    case 'unread':
      return pathIn('inbox', message, role);
    case 'processed':
    case 'failed':
      return pathIn(at, message, role);
    case 'read':
      return pathIn('processed', message, role);
    case 'withdrawn':
      return null;
    default:
      return at satisfies never;
  }
}

/** The path of a copy in a folder of a role. */
export function pathIn(folder: 'inbox' | 'processed' | 'failed', message: Message, role: RoleName): string {
  const month = folder === 'inbox' ? '' : `${monthOf(message.created)}/`;
  return `agents/${role}/${folder}/${month}${fileName(message)}`;
}

/** A message of the state, or one that it has forgotten. */
export function knownMessage(state: MailState, message: Message): KnownMessage {
  const mail = state.mail.get(message.id) ?? null;
  return { message, mail, paths: mail ? pathsOf(mail) : [sentPath(message)] };
}

export function messageDocument(project: Pick<Project, 'files'>, known: KnownMessage): MessageDocument {
  const { message, mail, paths } = known;
  const { [reference]: _ours, ...extra } = message.extra;
  return {
    id: message.id,
    type: message.type,
    from: message.from,
    to: message.to,
    thread: message.thread,
    in_reply_to: message.inReplyTo,
    subject: message.subject,
    created: iso(message.created),
    commit: message.work?.commit ?? null,
    branch: message.work?.branch ?? null,
    landed: message.work?.landed ?? null,
    attachments: message.attachments,
    fields: message.fields,
    extra,
    body: message.body,
    path: paths.find((path) => project.files.exists(path)) ?? null,
    turn: mail?.turn ?? null,
    host: mail?.host ?? null,
  };
}

/** The messages of one thread, or of all, in order. */
export function trailOf(project: Project, state: MailState, thread: ThreadId | null): MessageDocument[] {
  return allMessages(project, state)
    .filter(({ message }) => thread === null || message.thread === thread)
    .map((known) => messageDocument(project, known));
}

/**
 * A message that Mailroom once wrote into a mailbox; null: the text is not such a message (any
 * more).
 */
export function readStored(text: string): Message | null {
  const parsed = parseEnvelope(text, 'message');
  return parsed.ok ? parsed.value : null;
}
