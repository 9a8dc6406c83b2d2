import type { MailEventRecord, MailEvent } from '../../../../src/mail/machine/event.ts';
import type { MemoryDisk } from '../../../support/memory-disk.ts';
import { readJournal } from '../../../support/read-journal.ts';

/** What snapshots have taken the place of, so that the whole history can be checked at the end. */
export class Archive {
  readonly #disk: MemoryDisk;
  readonly #records = new Map<number, MailEventRecord>();

  constructor(disk: MemoryDisk) {
    this.#disk = disk;
  }

  /** Keeps what is in the journal now: a snapshot is about to replace it. */
  keep(): void {
    for (const record of readJournal<MailEvent>(this.#disk, 0).records) this.#records.set(record.n, record);
  }

  /** Every record that was ever durable, read as another process would. */
  all(): MailEventRecord[] {
    const { snapshot, records } = readJournal<MailEvent>(this.#disk, 0);
    const here = new Map(records.map((record) => [record.n, record]));
    const last = Math.max(snapshot?.n ?? 0, records.at(-1)?.n ?? 0);
    return Array.from({ length: last }, (_none, index) => {
      const record = here.get(index + 1) ?? this.#records.get(index + 1);
      if (!record) throw new Error(`record ${String(index + 1)} is lost`);
      return record;
    });
  }
}
