import type { ProjectHolder } from '../../host/holder.ts';
import { isJsonObject, parseJson } from '../../kernel/json.ts';
import { readSeenWorkers, type SeenWorker } from '../../letters/seen-workers.ts';
import type { Files } from '../../project/definition/files.ts';

/** What a controller has seen of its workers last. */
export const seenFile = '.mailroom/workers.json';

/**
 * The workers, as the running controller has seen them at most half a minute ago; null: there is no
 * controller, or it has no roles on workers, or has not reached the queue yet.
 */
export function seenWorkers(project: {
  readonly files: Files;
  holder(): ProjectHolder | null;
}): readonly SeenWorker[] | null {
  const host = project.holder();
  const text = host === null ? null : project.files.read(seenFile);
  const document = text === null ? null : parseJson(text);
  if (host === null || !isJsonObject(document) || document['since'] !== host.since) return null;
  const read = readSeenWorkers(document);
  return read.ok ? read.value.workers : null;
}
