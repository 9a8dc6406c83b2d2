import { Journal } from '../../src/disk/journal.ts';
import type { Disk } from '../../src/disk/disk.ts';
import { runFolder } from '../../src/host/run-mail.ts';
import type { RunEvent } from '../../src/workflow/machine/event.ts';

/** The journal of a run, as its host opens it. */
export function runJournal(disk: Disk, run: string): Journal<RunEvent> {
  return new Journal<RunEvent>(disk, { home: runFolder(run) });
}
