import { MailroomError } from '../../kernel/errors.ts';
import { listed } from '../../kernel/enumerate.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { endOfId, type MessageId, type RoleName, type ThreadId } from '../../kernel/ids.ts';
import type { TurnId } from '../../letters/target.ts';

/** A possible target of a command. */
export type Named =
  | { readonly kind: 'all' }
  | { readonly kind: 'role'; readonly role: RoleName }
  | { readonly kind: 'turn'; readonly turn: TurnId }
  | { readonly kind: 'thread'; readonly thread: ThreadId }
  | { readonly kind: 'message'; readonly message: MessageId }
  | { readonly kind: 'run'; readonly run: string };

export type NamedKind = Named['kind'];

/** A named thing of one of these kinds. */
export type NamedAs<Kind extends NamedKind> = Extract<Named, { kind: Kind }>;

/** Everything with a name, with a line that describes it to a person. */
export interface Directory {
  readonly roles: readonly RoleName[];
  readonly turns: readonly { readonly id: TurnId; readonly about: string }[];
  readonly threads: readonly { readonly id: ThreadId; readonly about: string }[];
  readonly messages: readonly { readonly id: MessageId; readonly about: string }[];
  /** Absent: none. */
  readonly runs?: readonly { readonly id: string; readonly about: string }[];
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
    ...(directory.runs ?? []).map(({ id, about }): Entry => ({
      name: id,
      about,
      named: { kind: 'run', run: id },
    })),
  ];
  return all.filter(({ named }) => kinds.includes(named.kind));
}

/**
 * What a word names: a whole name, or at least four letters that begin or end exactly one id. A
 * thread has the id of its first message: where both are allowed it is the message. Throws
 * `E_TARGET`, with the list when ambiguous.
 */
export function findNamed<Kind extends NamedKind>(
  word: string,
  directory: Directory,
  kinds: readonly Kind[],
): NamedAs<Kind> {
  const named = namedIn(word, directory, kinds);
  if (named !== null) return named;
  throw unknown(word, directory, kinds);
}

/** The same for a word that may mean something else: null. */
export function namedIn<Kind extends NamedKind>(
  word: string,
  directory: Directory,
  kinds: readonly Kind[],
): NamedAs<Kind> | null {
  const found = candidates(word, entriesOf(directory, kinds));
  // The entries are only of these kinds.
  if (found.length < 2) return (found[0]?.named ?? null) as NamedAs<Kind> | null;
  const list = found.slice(0, 20).map(({ name, about }) => `  ${name}  ${about}`);
  const more = found.length > list.length ? [`  and ${String(found.length - list.length)} more`] : [];
  throw new MailroomError(
    'E_TARGET',
    [`\`${word}\` may be any of these:`, ...list, ...more].join('\n'),
    'give the whole id, or more letters of its beginning or end',
  );
}

/** A run in words. `startedAt`: in milliseconds since 1970. */
export function aboutRun({ run, workflow, startedAt }: { run: string; workflow: string; startedAt: number }) {
  const started = new Date(startedAt).toISOString().slice(0, 16).replace('T', ' ');
  return { id: run, about: `run of ${workflow}, started ${started} UTC` };
}

function candidates(word: string, entries: readonly Entry[]): Entry[] {
  const exact = entries.filter(({ name }) => name === word);
  if (exact.length > 0) return unlessMessage(exact);
  // Shortened ids are printed with an ellipsis.
  const part = (word.startsWith('…') ? word.slice(1) : word).toLowerCase();
  if (part.length < shortest) return [];
  return unlessMessage(
    entries.filter(
      ({ name, named }) =>
        (named.kind === 'message' || named.kind === 'thread' || named.kind === 'run') &&
        (name.startsWith(part) || name.endsWith(part) || endOfId(name).startsWith(part)),
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
  run: 'a run',
};

/** The ends of ids, as people see and type them. */
function endsOf({ threads, messages, runs = [] }: Directory): string[] {
  return [...threads, ...messages, ...runs].map(({ id }) => endOfId(id));
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
  return new MailroomError(
    'E_TARGET',
    `\`${word}\` was not found; expected ${wanted}`,
    near ?? short ?? lister(kinds),
  );
}

function lister(kinds: readonly NamedKind[]): string {
  return kinds.includes('message')
    ? 'list messages and threads with `mailroom trail`'
    : 'list what runs and waits with `mailroom status`';
}
