import { isJsonObject } from '../kernel/json.ts';
import { join } from './disk.ts';
import type { Disk } from './disk.ts';
import { journalPlaces, listJournal, projectHome, segmentName } from './journal-files.ts';
import { formatLine, newline, openLine } from './journal-lines.ts';

/** Lies beside the snapshots, so that it moves with the journal. */
const { folder: journalFolder } = journalPlaces(projectHome);
const summaryFile = join(journalFolder, 'summary');

/** A last record with a longer line is not read, and then no summary counts as current. */
const longestLine = 65_536;

/** The last record of a journal. */
interface LastRecord {
  readonly n: number;
  /** The whole line: another journal may have a record of the same number. */
  readonly line: string;
}

/**
 * Writes a JSON value, derived from all records up to number `n`, beside a project's journal. Does
 * nothing when the journal's last record is another. Throws `E_DISK`. It need not be durable:
 * without a current one, the journal is folded.
 */
export function writeSummary(disk: Disk, n: number, value: unknown): void {
  const last = lastRecord(disk);
  if (last?.n !== n) return;
  disk.write(summaryFile, formatLine(JSON.stringify({ last: last.line, value })));
}

/**
 * The value derived from all records of a project's journal. Null: missing, not a file, damaged, or
 * older than the journal. Does not check the records before the last; only folding finds damage
 * there.
 */
export function readSummary(disk: Disk): unknown {
  if (disk.look(summaryFile)?.kind !== 'file') return null;
  const bytes = disk.read(summaryFile, Number.MAX_SAFE_INTEGER);
  const json = bytes?.at(-1) === newline ? openLine(bytes.subarray(0, -1)) : null;
  if (json === null) return null;
  const summary: unknown = JSON.parse(json);
  return isJsonObject(summary) && summary['last'] === lastRecord(disk)?.line ? summary['value'] : null;
}

/** Null: the journal is empty, or its last line is incomplete or older than a snapshot. */
function lastRecord(disk: Disk): LastRecord | null {
  const { segments, snapshots } = listJournal(disk, journalFolder);
  const first = segments.at(-1);
  if (first === undefined) return null;
  const file = join(journalFolder, segmentName(first));
  const from = Math.max(0, (disk.look(file)?.size ?? 0) - longestLine);
  const bytes = disk.read(file, longestLine, from);
  if (bytes?.at(-1) !== newline) return null;
  const start = bytes.lastIndexOf(newline, -2) + 1;
  const line = start === 0 && from > 0 ? null : openLine(bytes.subarray(start, -1));
  const n = Number(/^\{"n":(\d+),/.exec(line ?? '')?.[1] ?? 0);
  return line === null || n === 0 || n < (snapshots.at(-1) ?? 0) ? null : { n, line };
}
