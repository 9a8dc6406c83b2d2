import { MailroomError } from '../../kernel/errors.ts';
import type { Message } from '../format/message.ts';
import type { Delivery, MailState } from '../machine/state.ts';
import { allMessages, messageDocument } from './messages.ts';
import type { Project } from '../../project/project.ts';
import { findNamed, type Directory, type NamedAs, type NamedKind } from '../../workflow/runs/targets.ts';
import { endOfId, type RoleName, type ThreadId } from '../../kernel/ids.ts';
import type { TurnId } from '../../letters/target.ts';

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
export function resolveThread(
  project: Project,
  state: MailState,
  word: string,
  others?: Directory['others'],
): ThreadId {
  const named = resolve(project, state, word, ['thread', 'message'], others);
  if (named.kind === 'thread') return named.thread;
  const id = named.message;
  const known =
    state.mail.get(id)?.message ?? allMessages(project, state).find((one) => one.message.id === id)?.message;
  return known?.thread ?? id;
}

/**
 * The newest turn of the thread that a word names, by its id or by that of one of its messages.
 * Throws `E_TARGET`.
 */
export function newestTurn(project: Project, word: string): TurnId {
  const state = project.journal.state();
  const thread = resolveThread(project, state, word, { words: ['a run', 'a turn (t1)'], names: [] });
  const mail = [...state.mail.values()].filter(({ message }) => message.thread === thread);
  const turns = [
    ...[...state.turns.values()].filter((turn) => turn.thread === thread).map(({ id }) => id),
    ...mail.flatMap(({ deliveries }) => [...deliveries.values()].map(turnOf)),
    ...allMessages(project, state)
      .filter(({ message }) => message.thread === thread)
      .map((known) => messageDocument(project, known).turn),
  ];
  const newest = turns
    .filter((turn) => turn !== null)
    .toSorted((a, b) => Number(b.slice(1)) - Number(a.slice(1)))[0];
  if (newest !== undefined) return newest;
  throw new MailroomError('E_TARGET', `no turn of the thread ${endOfId(thread)} has begun`);
}

function turnOf(delivery: Delivery): TurnId | null {
  return 'turn' in delivery ? (delivery.turn ?? null) : null;
}
