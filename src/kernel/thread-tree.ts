import type { ThreadId } from './ids.ts';

/** A place in a list of threads in which each stands below the one that opened it. */
interface Branch<T> {
  readonly thread: T;
  /** 0: no thread in the list opened it. */
  readonly depth: number;
}

/** Threads in their order, each followed by its sub-threads. */
export function asTree<T extends { readonly id: ThreadId; readonly parent: ThreadId | null }>(
  threads: readonly T[],
): Branch<T>[] {
  const known = new Set(threads.map(({ id }) => id));
  const below = new Map<ThreadId | null, T[]>();
  for (const thread of threads) {
    const parent = thread.parent !== null && known.has(thread.parent) ? thread.parent : null;
    const siblings = below.get(parent);
    if (siblings === undefined) below.set(parent, [thread]);
    else siblings.push(thread);
  }
  const branch = (parent: ThreadId | null, depth: number): Branch<T>[] =>
    (below.get(parent) ?? []).flatMap((thread) => [{ thread, depth }, ...branch(thread.id, depth + 1)]);
  return branch(null, 0);
}

/** What a line of a thread begins with, by its depth. */
export function indent(depth: number): string {
  return depth === 0 ? '' : `${'  '.repeat(depth - 1)}└ `;
}
