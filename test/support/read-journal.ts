import type { Disk } from '../../src/disk/disk.ts';
import { JournalReader } from '../../src/disk/journal-reader.ts';

/** Reads a project's journal once; see `JournalReader`. */
export function readJournal<Event>(disk: Disk, after: number | null = null) {
  return new JournalReader<Event>(disk).read(after);
}
