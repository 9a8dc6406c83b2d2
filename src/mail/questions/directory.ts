import type { Message } from '../format/message.ts';
import type { MailState } from '../machine/state.ts';
import { allMessages } from './messages.ts';
import type { Project } from '../../project/project.ts';
import { findNamed, type Directory, type NamedAs, type NamedKind } from '../../workflow/runs/targets.ts';
import type { RoleName, ThreadId } from '../../kernel/ids.ts';

/** A short description of a message. */
function inWords({ type, from, to, subject }: Message): string {
  return `${from} → ${to.join(', ')}: ${type} — ${subject}`;
}

/** The named things in the state. */
export function directoryOf(state: MailState, roles: readonly string[]): Directory {
  const unread = [...state.unread.values()].filter(({ message }) => !state.mail.has(message.id));
  const messages = [...state.mail.values(), ...unread].map(({ message }) => message);
  return {
    roles,
    turns: [...state.turns.values()].map(({ id, role }) => ({ id, about: `a turn of ${role}` })),
    threads: [...state.threads.values()].map(({ id, subject }) => ({ id, about: `thread: ${subject}` })),
    messages: [...new Map(messages.map((message) => [message.id, message])).values()].map((message) => ({
      id: message.id,
      about: inWords(message),
    })),
  };
}

/** The same, with messages and threads of which only files are left. */
function wholeDirectory(project: Project, state: MailState, roles: readonly string[]): Directory {
  const known = directoryOf(state, roles);
  const messages = allMessages(project, state).map(({ message }) => message);
  const threads = new Map(known.threads.map((thread) => [thread.id, thread]));
  for (const { thread, subject } of messages)
    if (!threads.has(thread)) threads.set(thread, { id: thread, about: `thread: ${subject}` });
  return {
    ...known,
    threads: [...threads.values()],
    messages: messages.map((message) => ({ id: message.id, about: inWords(message) })),
  };
}

/**
 * What a word names in a project. Searches old mail only when the state does not have the word.
 * `defined`: roles of the protocol.
 */
export function resolve<Kind extends NamedKind>(
  project: Project,
  state: MailState,
  word: string,
  kinds: readonly Kind[],
  others?: Directory['others'],
  defined: readonly RoleName[] = [],
): NamedAs<Kind> {
  const roles = [...new Set([...state.roles.keys(), ...project.roles(), ...defined])];
  try {
    return findNamed(word, directoryOf(state, roles), kinds);
  } catch {
    const directory = wholeDirectory(project, state, roles);
    return findNamed(word, others ? { ...directory, others } : directory, kinds);
  }
}

/** The thread that a word names, by its own id or by that of one of its messages. */
export function resolveThread(project: Project, state: MailState, word: string): ThreadId {
  const named = resolve(project, state, word, ['thread', 'message']);
  if (named.kind === 'thread') return named.thread;
  const id = named.message;
  const known =
    state.mail.get(id)?.message ?? allMessages(project, state).find((one) => one.message.id === id)?.message;
  return known?.thread ?? id;
}
