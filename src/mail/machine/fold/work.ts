import type { MailState, Thread } from '../state.ts';
import type { ThreadId } from '../../../kernel/ids.ts';

/** Changes a known thread, and keeps in step whether it may have gone quiet. */
export function changeThread(state: MailState, id: ThreadId, change: Partial<Thread>): void {
  const known = state.threads.get(id);
  if (!known) return;
  const thread = { ...known, ...change };
  state.threads.set(id, thread);
  if (thread.state === 'open' && thread.running === 0 && thread.waiting === 0) state.possiblyQuiet.add(id);
  else state.possiblyQuiet.delete(id);
}

/** A thread and those above it, the nearest first. */
export function lineage(state: MailState, id: ThreadId): Thread[] {
  const found: Thread[] = [];
  for (let thread = state.threads.get(id); thread; thread = state.threads.get(thread.parent ?? ''))
    found.push(thread);
  return found;
}

/** Adds to the number of open turns and waits in a thread. */
export function countRunning(state: MailState, id: ThreadId, by: 1 | -1): void {
  const thread = state.threads.get(id);
  if (thread) changeThread(state, id, { running: thread.running + by });
}

/** Adds to the number of copies in a thread that roles will pick up alone. */
export function countWaiting(state: MailState, id: ThreadId, by: 1 | -1): void {
  const thread = state.threads.get(id);
  if (thread) changeThread(state, id, { waiting: thread.waiting + by });
}

/** The set under a key, created on first use. */
export function setOf<K, V>(map: Map<K, Set<V>>, key: K): Set<V> {
  const known = map.get(key);
  if (known) return known;
  const fresh = new Set<V>();
  map.set(key, fresh);
  return fresh;
}

/** Removes a value from the set under a key, and an empty set from the map. */
export function dropFrom<K, V>(map: Map<K, Set<V>>, key: K, value: V): void {
  const known = map.get(key);
  known?.delete(value);
  if (known?.size === 0) map.delete(key);
}
