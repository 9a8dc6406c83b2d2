import { MailroomError } from '../kernel/errors.ts';
import { listed } from '../kernel/enumerate.ts';
import { didYouMean } from '../kernel/nearest.ts';
import type { MessageId, RoleName, ThreadId } from '../kernel/ids.ts';
import type { TurnId } from '../letters/target.ts';

/** A possible target of a command. */
export type Named =
  | { readonly kind: 'all' }
  | { readonly kind: 'role'; readonly role: RoleName }
  | { readonly kind: 'turn'; readonly turn: TurnId }
  | { readonly kind: 'thread'; readonly thread: ThreadId }
  | { readonly kind: 'message'; readonly message: MessageId };

export type NamedKind = Named['kind'];

/** Everything with a name, with a line that describes it to a person. */
export interface Directory {
  readonly roles: readonly RoleName[];
  readonly turns: readonly { readonly id: TurnId; readonly about: string }[];
  readonly threads: readonly { readonly id: ThreadId; readonly about: string }[];
  readonly messages: readonly { readonly id: MessageId; readonly about: string }[];
  /** What else a command accepts, in words, and those names: only for hints. */
  readonly others?: { readonly words: readonly string[]; readonly names: readonly string[] };
}

/** A shorter part of an id matches too much. */
const shortest = 4;

interface Entry {
  readonly name: string;
  readonly about: string;
  readonly named: Named;
}

function entriesOf(directory: Directory, kinds: readonly NamedKind[]): Entry[] {
  const all: Entry[] = [
    { name: 'all', about: 'everything', named: { kind: 'all' } },
    ...directory.roles.map((role): Entry => ({ name: role, about: 'a role', named: { kind: 'role', role } })),
    ...directory.turns.map(({ id, about }): Entry => ({
      name: id,
      about,
      named: { kind: 'turn', turn: id },
    })),
    ...directory.messages.map(({ id, about }): Entry => ({
      name: id,
      about,
      named: { kind: 'message', message: id },
    })),
    ...directory.threads.map(({ id, about }): Entry => ({
      name: id,
      about,
      named: { kind: 'thread', thread: id },
    })),
  ];
  return all.filter(({ named }) => kinds.includes(named.kind));
}

/**
 * What a word names: a whole name, or at least four letters that begin or end exactly one id. A
 * thread has the id of its first message: where both are allowed it is the message. Throws
 * `E_TARGET` with the list when ambiguous.
 */
export function findNamed(word: string, directory: Directory, kinds: readonly NamedKind[]): Named {
  const found = candidates(word, entriesOf(directory, kinds));
  const [only] = found;
  if (only && found.length === 1) return only.named;
  if (found.length > 1) {
    const list = found.slice(0, 20).map(({ name, about }) => `  ${name}  ${about}`);
    const more = found.length > list.length ? [`  and ${String(found.length - list.length)} more`] : [];
    throw new MailroomError(
      'E_TARGET',
      [`\`${word}\` may be any of these:`, ...list, ...more].join('\n'),
      'give the whole id, or more letters of its beginning or end',
    );
  }
  throw unknown(word, directory, kinds);
}

function candidates(word: string, entries: readonly Entry[]): Entry[] {
  const exact = entries.filter(({ name }) => name === word);
  if (exact.length > 0) return unlessMessage(exact);
  if (word.length < shortest) return [];
  const part = word.toLowerCase();
  return unlessMessage(
    entries.filter(
      ({ name, named }) =>
        (named.kind === 'message' || named.kind === 'thread') &&
        (name.startsWith(part) || name.endsWith(part)),
    ),
  );
}

/** Leaves out threads whose first message is also listed. */
function unlessMessage(entries: readonly Entry[]): Entry[] {
  const messages = new Set(entries.filter(({ named }) => named.kind === 'message').map(({ name }) => name));
  return entries.filter(({ name, named }) => named.kind !== 'thread' || !messages.has(name));
}

const words: Readonly<Record<NamedKind, string>> = {
  all: '`all`',
  role: 'a role',
  turn: 'a turn that is not over',
  thread: 'a thread',
  message: 'a message',
};

/** The ends of ids, as people see and type them. */
function endsOf({ threads, messages }: Directory): string[] {
  return [...threads, ...messages].map(({ id }) => id.slice(-6));
}

function unknown(word: string, directory: Directory, kinds: readonly NamedKind[]): MailroomError {
  const others: readonly NamedKind[] = ['role', 'turn', 'thread', 'message'];
  const wrong = candidates(word, entriesOf(directory, others))[0];
  const { others: besides } = directory;
  const wanted = listed([...kinds.map((kind) => words[kind]), ...(besides?.words ?? [])], 'or');
  if (wrong)
    return new MailroomError('E_TARGET', `\`${word}\` is ${words[wrong.named.kind]}`, `this takes ${wanted}`);
  const near = didYouMean(word, [
    ...(kinds.includes('role') ? directory.roles : []),
    ...(besides ? [...besides.names, ...endsOf(directory)] : []),
  ]);
  const short =
    word.length < shortest && /^[0-9a-f]+$/i.test(word)
      ? `a part of an id has at least ${String(shortest)} letters`
      : null;
  return new MailroomError('E_TARGET', `\`${word}\` was not found; expected ${wanted}`, near ?? short);
}
