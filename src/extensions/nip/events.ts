import type { RunEvents } from '../../project/definition/hooks.ts';
import { readAskedWorkflow } from './asked.ts';
import { admitRun, announcementOf, verified } from './executions.ts';
import { unsentCount } from './nostr/relays.ts';

/** What is done with runs of workflows that are events. */
export const runEvents: RunEvents = {
  verified,
  asked: readAskedWorkflow,
  admit: (disk, { nip }, run) => admitRun(disk, nip, run),
  announcement: (disk, run, { nip }) => announcementOf(disk, run, nip),
  unsent: (disk, { nip }, run) => {
    const count = unsentCount(disk, nip, run);
    return count === 0 ? null : `${String(count)} not sent to a relay; send with: mailroom nip send`;
  },
};
