import { formatDuration } from '../../kernel/duration.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { queueTime, type FoundWorkers } from './list.ts';
import type { WorkersAccess } from './settings.ts';

const minute = 60_000;
/** How far a clock may be off, in milliseconds. */
const mostSkew = minute;

/** Which clocks are off, in words, by the ids of their workers; that of this host by `here`. */
export function wrongClocks(
  { known, queueTime: queue }: FoundWorkers,
  lease: number,
  now: number,
): ReadonlyMap<string, string> {
  const off = new Map<string, string>();
  const own = wrongHere(queue, now);
  if (own !== null) off.set('here', own);
  for (const { id, host, lastSeen, state } of known) {
    const ahead = Date.parse(lastSeen) - now;
    // What it says of itself may be as old as the lease.
    const isOff = state !== 'silent' && (ahead > mostSkew || ahead < -(lease + mostSkew));
    if (isOff) off.set(id, differs(`the clock of the worker ${id} on ${host}`, ahead, 'the one here'));
  }
  return off;
}

/**
 * The same again and again, in the words of the first time: how far a clock is off seems to change
 * with the age of what its worker has said last.
 */
export class WrongClocks {
  #noticed: ReadonlyMap<string, string> = new Map();

  look(found: FoundWorkers, lease: number, now: number): readonly string[] {
    const off = wrongClocks(found, lease, now);
    this.#noticed = new Map([...off].map(([id, text]) => [id, this.#noticed.get(id) ?? text]));
    return [...this.#noticed.values()];
  }
}

/**
 * How the clock of this host differs from that of the queue's host, in words; null: it does not, or
 * the queue cannot be reached, which others report.
 */
export async function ownClock(access: WorkersAccess, now: () => number): Promise<string | null> {
  try {
    return wrongHere(await queueTime(access), now());
  } catch (error) {
    if (error instanceof MailroomError) return null;
    throw error;
  }
}

function wrongHere(queue: number, now: number): string | null {
  const ahead = now - queue;
  return Math.abs(ahead) > mostSkew ? differs('the clock of this host', ahead, 'that of the queue') : null;
}

function differs(whose: string, ahead: number, other: string): string {
  const by = formatDuration(Math.round(Math.abs(ahead) / minute) * minute);
  const how = ahead > 0 ? 'ahead of' : 'behind';
  return `${whose} is ${by} ${how} ${other}; set the clocks of all hosts by NTP`;
}
