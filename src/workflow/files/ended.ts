import { isJsonObject, parseJson, type Json } from '../../kernel/json.ts';
import { join, type Disk } from '../../disk/disk.ts';
import { listJournal, segmentName } from '../../disk/journal-files.ts';
import { runFolder } from '../../host/run-mail.ts';

/** Events that may follow the end of a run. */
const afterwards: readonly Json[] = ['hooked', 'rolled-back', 'controlled'];
/** In bytes: most last records fit into the first. */
const tails = [4 * 1024, 64 * 1024];

/**
 * Whether a run has ended, read from the end of its journal. Null: unclear, so the journal must be
 * read.
 */
export function isOver(disk: Disk, run: string): boolean | null {
  const folder = join(runFolder(run), 'journal');
  const last = listJournal(disk, folder).segments.at(-1);
  const path = last === undefined ? null : join(folder, segmentName(last));
  const size = path === null ? 0 : (disk.look(path)?.size ?? 0);
  if (path === null || size === 0) return null;
  for (const tail of tails) {
    const from = Math.max(0, size - tail);
    const lines = disk.read(path, tail, from)?.toString('utf8').split('\n') ?? [];
    // The first line may be cut, and the last is incomplete without its newline.
    const type = lastType(lines.slice(from === 0 ? 0 : 1, -1));
    if (type !== null) return type === 'closed';
  }
  return null;
}

/** The type of the last event that is not one after the end; null: unclear. */
function lastType(lines: readonly string[]): Json {
  return lines.map(typeOf).findLast((type) => !afterwards.includes(type)) ?? null;
}

function typeOf(line: string): Json {
  const record = parseJson(line.slice(line.indexOf(' ') + 1));
  const event = isJsonObject(record) ? record['event'] : null;
  return isJsonObject(event) ? (event['type'] ?? null) : null;
}
