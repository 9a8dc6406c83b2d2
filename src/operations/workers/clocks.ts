import { formatDuration } from '../../kernel/duration.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { queueClock, type WorkerStatus } from './list.ts';
import type { WorkersAccess } from './settings.ts';

const minute = 60_000;
/** How far a clock may be off, in milliseconds. */
const mostSkew = minute;

/** How the clocks of running workers differ from the one here, in words, by the worker's id. */
export function otherClocks(
  workers: readonly WorkerStatus[],
  lease: number,
  now: number,
): ReadonlyMap<string, string> {
  const off = new Map<string, string>();
  for (const { id, host, lastSeen, state } of workers) {
    const ahead = Date.parse(lastSeen) - now;
    // What it says of itself may be as old as the lease.
    const isOff = state !== 'silent' && (ahead > mostSkew || ahead < -(lease + mostSkew));
    if (isOff) off.set(id, differs(`the clock of the worker ${id} on ${host}`, ahead, 'the one here'));
  }
  return off;
}

/** How the clock here differs from that of the queue's host, in words; null: it does not. */
export async function ownClock(access: WorkersAccess, now: () => number): Promise<string | null> {
  const ahead = now() - (await queueClock(access));
  return Math.abs(ahead) > mostSkew ? differs('the clock of this host', ahead, 'that of the queue') : null;
}

/** The same; also null where the queue cannot be reached, which others report. */
export async function ownClockIfReached(access: WorkersAccess, now: () => number): Promise<string | null> {
  try {
    return await ownClock(access, now);
  } catch (error) {
    if (error instanceof MailroomError) return null;
    throw error;
  }
}

function differs(whose: string, ahead: number, other: string): string {
  const by = formatDuration(Math.round(Math.abs(ahead) / minute) * minute);
  const how = ahead > 0 ? 'ahead of' : 'behind';
  return `${whose} is ${by} ${how} ${other}; set the clocks of all hosts by NTP`;
}
