import { threadsPath } from '../api/client.ts';
import type { ThreadRow } from '../../documents/status.ts';
import { useLive } from './live.ts';

/** So many ids fit into an address. */
const mostIds = 100;

/** The subjects of threads by their ids: of the first hundred, once they have arrived. */
export function useSubjects(ids: readonly string[], when?: 'now'): ReadonlyMap<string, string> {
  const some = [...new Set(ids)].slice(0, mostIds);
  const path = some.length === 0 ? null : threadsPath({ ids: some.join(',') });
  const threads = useLive<readonly ThreadRow[]>(path, when).value.value ?? [];
  return new Map(threads.map(({ id, subject }) => [id, subject]));
}
