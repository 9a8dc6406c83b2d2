import { MailroomError, messageOf } from '../kernel/errors.ts';
import { decode } from './codec.ts';
import type { TextStore } from './codec.ts';
import { join } from './disk.ts';
import type { Disk } from './disk.ts';
import { damaged, newline, openLine, readSegment, restoreHint } from './journal-lines.ts';
import type { JournalRecord } from './journal-lines.ts';

/** The folder with the state of a project. A run has a folder of its own. */
export const projectHome = '.mailroom';

/** Where the journal of a host lies whose state is in this folder. */
export function journalPlaces(home: string): { readonly folder: string; readonly blobs: string } {
  return { folder: join(home, 'journal'), blobs: join(home, 'blobs') };
}

/** The names in a journal folder, by their numbers, ascending. */
interface JournalNames {
  /** The number of each segment's first record. */
  readonly segments: readonly number[];
  /** The number of the last record in each snapshot. */
  readonly snapshots: readonly number[];
}

export function segmentName(first: number): string {
  return `${String(first).padStart(12, '0')}.log`;
}

export function snapshotName(n: number): string {
  return `${String(n).padStart(12, '0')}.snapshot`;
}

export function listJournal(disk: Disk, folder: string): JournalNames {
  const names = disk.list(folder) ?? [];
  const numbers = (pattern: RegExp): number[] =>
    names
      .flatMap((name) => pattern.exec(name)?.[1] ?? [])
      .map(Number)
      .toSorted((a, b) => a - b);
  return { segments: numbers(/^(\d{12})\.log$/), snapshots: numbers(/^(\d{12})\.snapshot$/) };
}

export interface Snapshot {
  readonly n: number;
  readonly state: unknown;
}

export interface Loaded<Event> {
  readonly snapshot: Snapshot | null;
  readonly records: JournalRecord<Event>[];
  /** The number of the last record; 0: the journal is empty. */
  readonly last: number;
  /** The last segment, where appending continues; null: there is none. */
  readonly tail: Tail | null;
  /** The damaged snapshots that were skipped, in words; null: none. */
  readonly problem: string | null;
}

export interface Tail {
  readonly first: number;
  /** The number of the next record. */
  readonly next: number;
  /** The size of the whole lines, in bytes. */
  readonly bytes: number;
  /** True when bytes of an incomplete line follow. */
  readonly torn: boolean;
}

/**
 * Reads a journal without changing it: the newest valid snapshot and the records after it; with
 * `after`, the remaining records after that number. Throws `E_JOURNAL` for damage, for a gap, and
 * for a damaged snapshot whose records are gone.
 */
export function loadJournal<Event>(
  disk: Disk,
  folder: string,
  texts: TextStore,
  after: number | null = null,
): Loaded<Event> {
  const { segments, snapshots } = listJournal(disk, folder);
  const { snapshot, bad } = newestSnapshot(disk, folder, snapshots, texts);
  const base = snapshot?.n ?? 0;
  const start = Math.min(base, after ?? base);
  const passed = bad.map((n) => `${join(folder, snapshotName(n))} is damaged and was passed over`);
  const { records, tail, torn } = loadSegments<Event>(disk, folder, segments, { start, base }, texts);
  const last = Math.max(base, (tail?.next ?? 1) - 1);
  const promised = bad[0] ?? 0;
  if (last < promised) throw gap(join(folder, snapshotName(promised)), last + 1, promised);
  const problems = torn === null ? passed : [...passed, torn];
  return {
    snapshot,
    records: after !== null && after > start ? records.filter((record) => record.n > after) : records,
    last,
    tail,
    problem: problems.length === 0 ? null : problems.join('; '),
  };
}

/** Adds an event to a state; `n`: its number. */
export type Apply<State, Event> = (state: State, event: Event, n: number) => State;

/**
 * Folds records of a journal. Throws `E_JOURNAL` with the line of a record that `apply` cannot
 * read: another program wrote it, as its checksum is valid.
 */
export function foldRecords<State, Event>(
  disk: Disk,
  folder: string,
  start: State,
  records: readonly JournalRecord<Event>[],
  apply: Apply<State, Event>,
): State {
  let at = 0;
  try {
    return records.reduce((state, { n, event }) => apply(state, event, (at = n)), start);
  } catch (error) {
    if (error instanceof MailroomError) throw error;
    const first = listJournal(disk, folder).segments.findLast((segment) => segment <= at) ?? at;
    const what = `record ${at} cannot be read: ${messageOf(error)}`;
    throw damaged(join(folder, segmentName(first)), at - first + 1, what, error);
  }
}

/**
 * The newest snapshot up to a record, and the records after it up to that one. Throws `E_TARGET`
 * where the journal does not hold it, `E_JOURNAL` for damage.
 */
export function loadPast<Event>(
  disk: Disk,
  folder: string,
  texts: TextStore,
  n: number,
): Pick<Loaded<Event>, 'snapshot' | 'records'> {
  const { segments, snapshots } = listJournal(disk, folder);
  const before = snapshots.filter((number) => number <= n);
  const { snapshot } = newestSnapshot(disk, folder, before, texts);
  const base = snapshot?.n ?? 0;
  if (snapshot === null && (segments[0] ?? 1) > 1)
    throw new MailroomError('E_TARGET', `the journal keeps no state before record ${String(snapshots[0])}`);
  const parts = segments.filter((first) => first <= n);
  const { records, tail } = loadSegments<Event>(disk, folder, parts, { start: base, base }, texts);
  const last = Math.max(base, (tail?.next ?? 1) - 1);
  if (last < n) throw new MailroomError('E_TARGET', `the journal ends with record ${String(last)}`);
  return { snapshot, records: records.filter((record) => record.n <= n) };
}

/** The records of the last segment whose first event `isBefore` accepts; empty: there is none. */
export function loadSegmentOf<Event>(
  disk: Disk,
  folder: string,
  texts: TextStore,
  isBefore: (event: Event) => boolean,
): readonly JournalRecord<Event>[] {
  for (const first of listJournal(disk, folder).segments.toReversed()) {
    const file = join(folder, segmentName(first));
    const bytes = disk.read(file, Number.MAX_SAFE_INTEGER);
    if (bytes === null) throw vanished(file);
    const { records } = readSegment<Event>(bytes, { file, first, after: 0, texts });
    const [begin] = records;
    if (begin !== undefined && isBefore(begin.event)) return records;
  }
  return [];
}

/**
 * The records after `start`. Segments without any of them are not read. A gap before `base` does
 * not count, as the snapshot covers it (a power cut can bring back some of the removed segments):
 * the records before the gap are left out.
 */
function loadSegments<Event>(
  disk: Disk,
  folder: string,
  segments: readonly number[],
  { start, base }: { readonly start: number; readonly base: number },
  texts: TextStore,
): { records: JournalRecord<Event>[]; tail: Tail | null; torn: string | null } {
  let records: JournalRecord<Event>[] = [];
  let tail: Tail | null = null;
  let torn: string | null = null;
  for (const first of segments.filter((_, index) => (segments[index + 1] ?? Infinity) > start + 1)) {
    const file = join(folder, segmentName(first));
    const expected: number = tail?.next ?? start + 1;
    const missing = first > expected;
    if (torn !== null && first > base + 1) throw new MailroomError('E_JOURNAL', torn, restoreHint(file));
    if ((tail !== null && first < expected) || (missing && first > base + 1)) {
      throw gap(file, expected, first - 1);
    }
    if (missing) records = [];
    const bytes = disk.read(file, Number.MAX_SAFE_INTEGER);
    if (bytes === null) throw vanished(file);
    const segment = readSegment<Event>(bytes, { file, first, after: start, texts });
    for (const record of segment.records) records.push(record);
    torn = segment.torn;
    tail = { first, next: segment.next, bytes: segment.bytes, torn: torn !== null };
  }
  return { records, tail, torn };
}

/** `bad` are the newer, damaged snapshots, newest first. */
function newestSnapshot(
  disk: Disk,
  folder: string,
  numbers: readonly number[],
  texts: TextStore,
): { snapshot: Snapshot | null; bad: number[] } {
  const bad: number[] = [];
  for (const n of numbers.toReversed()) {
    const file = join(folder, snapshotName(n));
    const bytes = disk.read(file, Number.MAX_SAFE_INTEGER);
    if (bytes === null) throw vanished(file);
    const json = bytes.at(-1) === newline ? openLine(bytes.subarray(0, -1)) : null;
    if (json !== null) return { snapshot: decode(JSON.parse(json), texts) as Snapshot, bad };
    bad.push(n);
  }
  return { snapshot: null, bad };
}

function vanished(file: string): MailroomError {
  return new MailroomError('E_JOURNAL', `${file} vanished while the journal was read`, restoreHint(file));
}

function gap(file: string, from: number, to: number): MailroomError {
  const what =
    to < from ? `record ${to + 1} is there twice` : `the records from ${from} to ${to} are missing`;
  return new MailroomError('E_JOURNAL', `${file}: ${what}`, restoreHint(file));
}
