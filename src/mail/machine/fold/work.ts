import type { MailState, Thread } from '../state.ts';
import type { ThreadId } from '../../../kernel/ids.ts';

/** Changes a thread that is known, and keeps in step whether it may have gone quiet. */
export function changeThread(state: MailState, id: ThreadId, change: Partial<Thread>): void {
  const known = state.threads.get(id);
  if (!known) return;
  const thread = { ...known, ...change };
  state.threads.set(id, thread);
  if (thread.state === 'open' && thread.running === 0 && thread.waiting === 0) state.possiblyQuiet.add(id);
  else state.possiblyQuiet.delete(id);
}

/** One more, or one fewer, open turn or wait in a thread. */
export function countRunning(state: MailState, id: ThreadId, by: 1 | -1): void {
  const thread = state.threads.get(id);
  if (thread) changeThread(state, id, { running: thread.running + by });
}

/** One more, or one fewer, copy in a thread that waits to be taken up by itself. */
export function countWaiting(state: MailState, id: ThreadId, by: 1 | -1): void {
  const thread = state.threads.get(id);
  if (thread) changeThread(state, id, { waiting: thread.waiting + by });
}

/** The set under a key, made when it is first asked for. */
export function setOf<K, V>(map: Map<K, Set<V>>, key: K): Set<V> {
  const known = map.get(key);
  if (known) return known;
  const fresh = new Set<V>();
  map.set(key, fresh);
  return fresh;
}

/** Takes a value out of the set under a key; an empty set goes. */
export function dropFrom<K, V>(map: Map<K, Set<V>>, key: K, value: V): void {
  const known = map.get(key);
  known?.delete(value);
  if (known?.size === 0) map.delete(key);
}
