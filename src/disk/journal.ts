import { MailroomError } from '../kernel/errors.ts';
import { Blobs } from './blobs.ts';
import { encode } from './codec.ts';
import { join, parentOf } from './disk.ts';
import type { Appender, Disk } from './disk.ts';
import {
  foldRecords,
  journalPlaces,
  listJournal,
  loadJournal,
  projectHome,
  segmentName,
  snapshotName,
} from './journal-files.ts';
import type { Apply, Snapshot, Tail } from './journal-files.ts';
import { formatLine, formatRecord } from './journal-lines.ts';
import type { JournalRecord } from './journal-lines.ts';

interface JournalOptions {
  /** The folder of the state of its host; default `.mailroom`. */
  readonly home?: string;
  /** A new segment begins once the last one has this many bytes; default 8 MB. */
  readonly segmentBytes?: number;
  /**
   * Called right before each write; throws its error if it returns one. Null: writing is allowed.
   */
  readonly gone?: () => MailroomError | null;
  /**
   * Whether a part of the past that was last written then (milliseconds since 1970) is kept, with
   * its snapshots, after a snapshot has replaced it; default: it is not.
   */
  readonly keeps?: (lastWritten: number) => boolean;
}

/**
 * A journal as its single writer sees it: the project's `Journal`, or that of a run. Call `read`
 * first: it finds where appending continues.
 */
export class Journal<Event> {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #blobs: Blobs;
  readonly #segmentBytes: number;
  readonly #gone: () => MailroomError | null;
  readonly #keeps: (lastWritten: number) => boolean;
  /** The number of the last record; null until `read`. */
  #last: number | null = null;
  /** The open segment; null: the next append begins one. */
  #segment: Appender | null = null;
  /** The path of the last opened segment. */
  #path = '';
  #unsynced = false;
  #failure: MailroomError | null = null;

  constructor(disk: Disk, options: JournalOptions = {}) {
    const { folder, blobs } = journalPlaces(options.home ?? projectHome);
    this.#disk = disk;
    this.#folder = folder;
    this.#blobs = new Blobs(disk, blobs);
    this.#segmentBytes = options.segmentBytes ?? 8 * 1024 * 1024;
    this.#gone = options.gone ?? (() => null);
    this.#keeps = options.keeps ?? (() => false);
  }

  /** Truncates a torn last line; `cut` reports that, and skipped damaged snapshots, in words. */
  read(): { snapshot: Snapshot | null; records: JournalRecord<Event>[]; cut: string | null } {
    return this.#guarded(() => {
      this.#closeSegment();
      const loaded = loadJournal<Event>(this.#disk, this.#folder, this.#blobs);
      if (loaded.tail !== null) this.#continueIn(loaded.tail, loaded.last);
      this.#last = loaded.last;
      return { snapshot: loaded.snapshot, records: loaded.records, cut: loaded.problem };
    });
  }

  /** The state that records of it lead to. Throws `E_JOURNAL` where one cannot be read. */
  fold<State>(start: State, records: readonly JournalRecord<Event>[], apply: Apply<State, Event>): State {
    return foldRecords(this.#disk, this.#folder, start, records, apply);
  }

  append(events: readonly Event[]): number {
    const last = this.#position();
    if (events.length === 0) return last;
    return this.#guarded(() => {
      const lines = events.map((event, index) => formatRecord(last + index + 1, event, this.#blobs));
      const segment = this.#segmentFor(last + 1);
      this.#checkHeld();
      segment.write(Buffer.from(lines.join('')));
      this.#unsynced = true;
      return (this.#last = last + events.length);
    });
  }

  sync(): void {
    this.#guarded(() => {
      if (this.#unsynced) this.#segment?.sync();
      this.#synced();
    });
  }

  /** The same beside the work of this process. Append nothing until it has resolved. */
  async syncBeside(): Promise<void> {
    if (this.#failure !== null) throw this.#failure;
    try {
      if (this.#unsynced) await this.#segment?.syncBeside();
    } catch (error) {
      if (error instanceof MailroomError) this.#failure = error;
      throw error;
    }
    this.#guarded(() => this.#synced());
  }

  #synced(): void {
    if (this.#unsynced) this.#checkHere();
    this.#unsynced = false;
  }

  /**
   * After a lost lock another process may write here, and its records must not be mixed with these.
   */
  #checkHeld(): void {
    const failure = this.#gone();
    if (failure !== null) throw failure;
  }

  /** A removed file that is still open accepts bytes and loses them. */
  #checkHere(): void {
    if (this.#segment === null || this.#disk.look(this.#path) !== null) return;
    throw new MailroomError(
      'E_DISK',
      `the journal is gone: ${this.#path} was removed`,
      'restore .mailroom/ from a backup, or begin anew with `mailroom init`',
    );
  }

  snapshot(n: number, state: unknown, keepAfter: number): void {
    if (n > this.#position())
      throw new MailroomError('E_INTERNAL', `a snapshot of record ${n}, which is not written`);
    this.sync();
    this.#guarded(() => {
      this.#checkHeld();
      const json = JSON.stringify(encode({ n, state }, this.#blobs));
      this.#disk.write(join(this.#folder, snapshotName(n)), formatLine(json), { sync: true });
      this.#removeBefore(Math.min(n, keepAfter));
    });
  }

  close(): void {
    this.#closeSegment();
    this.#last = null;
  }

  #position(): number {
    if (this.#last === null)
      throw new MailroomError('E_INTERNAL', 'the journal was not read before it was written');
    return this.#last;
  }

  /**
   * After a failure the content of the disk is unknown: everything but `close` throws the error
   * again.
   */
  #guarded<T>(work: () => T): T {
    if (this.#failure !== null) throw this.#failure;
    try {
      return work();
    } catch (error) {
      if (error instanceof MailroomError) this.#failure = error;
      throw error;
    }
  }

  #continueIn(tail: Tail, last: number): void {
    const segment = this.#open(tail.first);
    if (tail.torn) segment.truncate(tail.bytes);
    // A killed host has perhaps not synced the records that this one is about to rely on.
    segment.sync();
    this.#syncNames();
    // A tail that ends before its snapshot cannot be continued: the numbers would have a gap.
    if (tail.next === last + 1) this.#segment = segment;
    else segment.close();
  }

  #segmentFor(first: number): Appender {
    if (this.#segment !== null && this.#segment.size < this.#segmentBytes) return this.#segment;
    // A power cut must not lose the end of this segment and keep the next one.
    if (this.#unsynced) this.#segment?.sync();
    this.#closeSegment();
    const segment = (this.#segment = this.#open(first));
    if (first === 1) this.#syncNames();
    else this.#disk.syncFolder(this.#folder);
    return segment;
  }

  #open(first: number): Appender {
    this.#checkHeld();
    this.#path = join(this.#folder, segmentName(first));
    return this.#disk.openAppend(this.#path);
  }

  /** Makes the names of the journal's files durable, and of the folders above them. */
  #syncNames(): void {
    for (let folder = this.#folder; ; folder = parentOf(folder)) {
      this.#disk.syncFolder(folder);
      if (folder === '') return;
    }
  }

  /**
   * Removes segments without records after `n` that are not kept, and snapshots that the remaining
   * records cannot continue.
   */
  #removeBefore(n: number): void {
    const { segments, snapshots } = listJournal(this.#disk, this.#folder);
    const oldestKept = segments.findIndex(
      (first, index) => (segments[index + 1] ?? Infinity) > n + 1 || this.#isKept(first),
    );
    const kept = oldestKept < 0 ? [] : segments.slice(oldestKept);
    const oldest = kept[0] ?? 1;
    for (const first of segments) {
      if (!kept.includes(first)) this.#disk.remove(join(this.#folder, segmentName(first)));
    }
    const useful = snapshots.filter(
      (number, index) => index === snapshots.length - 1 || number >= oldest - 1,
    );
    for (const number of snapshots) {
      if (!useful.includes(number)) this.#disk.remove(join(this.#folder, snapshotName(number)));
    }
  }

  #isKept(first: number): boolean {
    const look = this.#disk.look(join(this.#folder, segmentName(first)));
    return look !== null && this.#keeps(look.mtimeMs);
  }

  #closeSegment(): void {
    const segment = this.#segment;
    this.#segment = null;
    segment?.close();
  }
}
