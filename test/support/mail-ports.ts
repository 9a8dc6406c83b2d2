import { Control } from '../../src/host/control.ts';
import { TurnFolders } from '../../src/mail/mailboxes/turn-folders.ts';
import { Mailboxes } from '../../src/mail/mailboxes/mailboxes.ts';
import type { MailPorts } from '../../src/mail/host/ports.ts';
import { noTrail } from '../../src/mail/trail/none.ts';
import { Journal } from '../../src/disk/journal.ts';
import type { Disk } from '../../src/disk/disk.ts';
import type { Runner } from '../../src/host/runner/runner.ts';
import type { MailEvent } from '../../src/mail/machine/event.ts';

/** A runner that starts nobody. */
export const idleRunner: Runner = {
  start: () => {},
  release: () => {},
  check: () => {},
  land: () => {},
  stop: () => {},
  leave: () => {},
  forget: () => {},
  sweep: () => Promise.resolve(),
};

/** The outside of a host of the mail on a disk in memory: the real files, no processes, no trail. */
export function mailPorts(
  disk: Disk & { readonly now: () => number },
  changes: Partial<MailPorts> = {},
): MailPorts {
  return {
    clock: { now: disk.now },
    journal: new Journal<MailEvent>(disk),
    mailboxes: new Mailboxes(disk),
    control: new Control(disk),
    folders: new TurnFolders(disk),
    runner: idleRunner,
    trail: noTrail,
    trailAt: null,
    providers: new Map(),
    newId,
    roleText: () => '',
    project: disk.root,
    verifies: () => false,
    parking: { list: () => new Map(), park: () => {} },
    notify: () => {},
    ...changes,
  };
}

let ids = 0;

/** Ids in order, no two alike in one process. */
function newId(): string {
  ids += 1;
  return `01900000-0000-7000-8000-${String(ids).padStart(12, '0')}`;
}
