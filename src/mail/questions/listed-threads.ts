import { asTree } from '../../kernel/thread-tree.ts';
import { hasWords } from '../../kernel/words.ts';
import { standingOfThread, standings, type Motion, type Standing } from '../../documents/standing.ts';
import type { MailState } from '../machine/state.ts';
import type { MailStatus, ThreadStatus } from '../../documents/status.ts';

/** A thread with how it stands. */
export type ListedThread = ThreadStatus & { readonly standing: Standing };

type Moving = { [Key in keyof Motion]: Motion[Key][number][] };

/** The threads of a status, the oldest first, each with how it stands. */
export function listedThreads({ threads, roles, turns }: MailStatus): ListedThread[] {
  const motions = new Map<string, Moving>();
  const of = (thread: string): Moving => {
    const motion = motions.get(thread) ?? { turns: [], questions: [], waits: [] };
    motions.set(thread, motion);
    return motion;
  };
  for (const { thread, standing } of turns) of(thread).turns.push(standing);
  for (const { name, person, owes, waits } of roles) {
    for (const wait of waits) of(wait.thread).waits.push(wait);
    if (!person) continue;
    for (const { thread, deadline } of owes) of(thread).questions.push({ person: name, deadline });
  }
  const still: Motion = { turns: [], questions: [], waits: [] };
  return threads.map((thread) => ({
    ...thread,
    standing: standingOfThread(thread, motions.get(thread.id) ?? still),
  }));
}

/** Which threads a list shows; what is absent restricts nothing. */
export interface ThreadFilter {
  /** Their subjects or messages have all these words, in any case of letters. */
  readonly q?: string | undefined;
  readonly standing?: Standing['is'] | undefined;
  /** This thread, and those below it. */
  readonly under?: string | undefined;
  readonly ids?: readonly string[] | undefined;
  /** What needs a person first, and what is done last, each by its newest message. */
  readonly order?: 'standing' | undefined;
}

/**
 * What a filter leaves of all threads (the oldest first): the newest first, each with its
 * sub-threads, in their order. `text`: that of a thread's messages.
 */
export function filteredThreads<T extends ListedThread>(
  threads: readonly T[],
  { q = '', standing, under, ids, order }: ThreadFilter,
  text: (thread: string) => string = () => '',
): (T & { readonly depth: number; readonly alike: number | null })[] {
  const below = under === undefined ? null : threadsBelow(threads, under);
  const wanted = ids && new Set(ids);
  const found = threads.filter((thread) => {
    if (standing !== undefined && thread.standing.is !== standing) return false;
    if (below?.has(thread.id) === false || wanted?.has(thread.id) === false) return false;
    return q === '' || hasWords(`${thread.subject}\n${text(thread.id)}`, q);
  });
  const newest = found.toReversed();
  const parts =
    order === 'standing'
      ? standings.map((is) => newest.filter((each) => each.standing.is === is).toSorted(byLatest))
      : [newest];
  return parts.flatMap((part) =>
    asTree(part).map(({ thread, depth }, index) => ({
      ...thread,
      depth,
      alike: index === 0 ? part.length : null,
    })),
  );
}

function byLatest({ latest: a }: ListedThread, { latest: b }: ListedThread): number {
  return a === b ? 0 : a < b ? 1 : -1;
}

/** The texts of the messages of a thread; of one that ended long ago, none. */
export function textOf({ threads, mail }: MailState): (thread: string) => string {
  return (id) =>
    (threads.get(id)?.messages ?? []).map((message) => mail.get(message)?.message.body ?? '').join('\n');
}

/** A thread opens others only after it was opened itself. */
function threadsBelow(threads: readonly ThreadStatus[], id: string): Set<string> {
  const below = new Set([id]);
  for (const thread of threads) if (thread.parent !== null && below.has(thread.parent)) below.add(thread.id);
  return below;
}
