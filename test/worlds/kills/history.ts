import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { journalPlaces } from '../../../src/disk/journal-files.ts';
import { JournalReader } from '../../../src/disk/journal-reader.ts';
import { RealDisk } from '../../../src/disk/real-disk.ts';
import type { Place } from './place.ts';

/** All events of the journal in a folder of the project, also those in segments that a snapshot has replaced. */
export function historyOf<Event>(place: Place, home: string): Event[] {
  const { folder: journal, blobs } = journalPlaces(home);
  const whole = mkdtempSync(join(place.folder, 'history-'));
  mkdirSync(join(whole, journal), { recursive: true });
  const copy = (from: string, to: string): void => {
    if (existsSync(from))
      cpSync(from, join(whole, to), { recursive: true, filter: (path) => !path.endsWith('.snapshot') });
  };
  copy(join(place.root, blobs), blobs);
  copy(join(place.folder, 'kept'), journal);
  copy(join(place.root, journal), journal);
  try {
    return new JournalReader<Event>(new RealDisk(whole), home).read().records.map(({ event }) => event);
  } finally {
    rmSync(whole, { recursive: true });
  }
}
