import { MailroomError } from '../kernel/errors.ts';
import type { Moment } from '../kernel/times.ts';
import { Blobs } from './blobs.ts';
import { join } from './disk.ts';
import type { Disk, FileStat } from './disk.ts';
import {
  foldRecords,
  listJournal,
  journalPlaces,
  loadJournal,
  loadPast,
  loadSegmentOf,
  projectHome,
  segmentName,
} from './journal-files.ts';
import type { Apply, Loaded, Tail } from './journal-files.ts';
import { readSegment } from './journal-lines.ts';
import type { JournalRecord } from './journal-lines.ts';

/** How often a reader retries when the journal changes while it reads. */
const attempts = 5;

/**
 * A journal as every other process sees it: reads whole lines only, and never writes or truncates.
 */
export class JournalReader<Event> {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #blobs: Blobs;
  #tail: Tail | null = null;
  /** Of the file of the tail, when it was read; null: unknown. */
  #changed: number | null = null;

  /** `home`: the folder of the state of its host. */
  constructor(disk: Disk, home = projectHome) {
    const { folder, blobs } = journalPlaces(home);
    this.#disk = disk;
    this.#folder = folder;
    this.#blobs = new Blobs(disk, blobs);
  }

  /**
   * The newest snapshot and the records after it; with `after`, the remaining records after that
   * number. Throws `E_JOURNAL` when the journal is damaged, `E_DISK` when it cannot be read.
   */
  read(after: number | null = null): Loaded<Event> {
    return this.#retried(() => {
      const loaded = loadJournal<Event>(this.#disk, this.#folder, this.#blobs, after);
      this.#tail = loaded.tail;
      this.#changed = loaded.tail && (this.#look(loaded.tail.first)?.mtimeMs ?? null);
      return loaded;
    });
  }

  /** The state that records of it lead to. Throws `E_JOURNAL` where one cannot be read. */
  fold<State>(start: State, records: readonly JournalRecord<Event>[], apply: Apply<State, Event>): State {
    return foldRecords(this.#disk, this.#folder, start, records, apply);
  }

  /**
   * The newest snapshot before a moment, the records after it up to that moment, and the number of
   * the last one. `timeOf`: when an event was recorded. Throws `E_TARGET` where the journal does
   * not hold the moment.
   */
  past(
    moment: Moment,
    timeOf: (event: Event) => number,
  ): Pick<Loaded<Event>, 'snapshot' | 'records'> & { readonly n: number } {
    return this.#retried(() => {
      const n = 'record' in moment ? moment.record : this.#lastBefore(moment.time, timeOf);
      return { n, ...loadPast<Event>(this.#disk, this.#folder, this.#blobs, n) };
    });
  }

  /** The number of the first record whose state the journal holds; 0: it holds every state. */
  oldest(): number {
    const { segments, snapshots } = listJournal(this.#disk, this.#folder);
    return (segments[0] ?? 1) === 1 ? 0 : (snapshots[0] ?? 0);
  }

  #lastBefore(time: number, timeOf: (event: Event) => number): number {
    const isBefore = (event: Event): boolean => timeOf(event) <= time;
    const records = loadSegmentOf<Event>(this.#disk, this.#folder, this.#blobs, isBefore);
    const last = records.findLast(({ event }) => isBefore(event));
    if (last !== undefined) return last.n;
    const moment = new Date(time).toISOString();
    throw new MailroomError(
      'E_TARGET',
      this.oldest() === 0
        ? `nothing had happened at ${moment}`
        : `the journal no longer holds what was at ${moment}`,
    );
  }

  /**
   * A new snapshot may have replaced a listed file. Real damage is still there on the last attempt.
   */
  #retried<T>(read: () => T): T {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return read();
      } catch (error) {
        if (!(error instanceof MailroomError && error.code === 'E_JOURNAL') || attempt === attempts)
          throw error;
      }
    }
  }

  /**
   * The records since the last `read` or `more`. Null: unknown, as the file was replaced, cut or
   * removed: call `read` again.
   */
  more(): JournalRecord<Event>[] | null {
    const records: JournalRecord<Event>[] = [];
    for (let tail = this.#tail; tail !== null;) {
      const grown = this.#grow(tail, records);
      if (grown === null) return null;
      this.#tail = grown;
      if (grown.next === grown.first || this.#look(grown.next) === null) return records;
      tail = { first: grown.next, next: grown.next, bytes: 0, torn: false };
      this.#changed = null;
    }
    return null;
  }

  #look(first: number): FileStat | null {
    return this.#disk.look(join(this.#folder, segmentName(first)));
  }

  #grow(tail: Tail, records: JournalRecord<Event>[]): Tail | null {
    const file = join(this.#folder, segmentName(tail.first));
    const { size, mtimeMs } = this.#look(tail.first) ?? { size: -1, mtimeMs: 0 };
    if (size < tail.bytes) return null;
    // Appending makes a file longer.
    if (size === tail.bytes) return mtimeMs === (this.#changed ??= mtimeMs) ? tail : null;
    this.#changed = mtimeMs;
    const bytes = this.#disk.read(file, size - tail.bytes, tail.bytes);
    if (bytes === null) return null;
    try {
      const segment = readSegment<Event>(bytes, { file, first: tail.next, after: 0, texts: this.#blobs });
      for (const record of segment.records) records.push(record);
      return { ...tail, next: segment.next, bytes: tail.bytes + segment.bytes, torn: segment.torn !== null };
    } catch (error) {
      // The lines after this cannot be numbered; `read` reports where the damage is.
      if (error instanceof MailroomError && error.code === 'E_JOURNAL') return null;
      throw error;
    }
  }
}
