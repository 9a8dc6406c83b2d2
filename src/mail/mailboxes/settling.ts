import type { Disk, FileStat } from '../../disk/disk.ts';
import type { Writing } from '../../disk/writers.ts';

/** How long a file must be unchanged to count as complete, in milliseconds. */
const quietMs = 10;
/** The same where it is not known whether a process still writes it. */
const stillMs = 2_000;
/** After this long an empty or unclosed file that no process writes is refused, in milliseconds. */
const patienceMs = 2_000;
/** The same where that is not known: programs may take this long until their first byte. */
const longPatienceMs = 60_000;
/** How often an incomplete file is checked, in milliseconds; a watcher reports changes sooner. */
const againMs = 100;
/** How often one is checked that a process keeps open without writing, in milliseconds. */
const seldomMs = 1_000;
/** Front matter must be closed within this many bytes. */
const frontMatterBytes = 64 * 1024;

export type Settled =
  | { readonly is: 'complete' }
  | { readonly is: 'wait'; readonly until: number }
  | { readonly is: 'refuse'; readonly problem: string }
  | { readonly is: 'gone' };

/** What a look shows of a file. */
export interface Glance {
  /** The time of the look, in milliseconds since 1970. */
  readonly now: number;
  /** Null: no file is there, but perhaps something else. */
  readonly seen: Seen | null;
  readonly isGone: boolean;
  /** Whether it has been unchanged for long enough to ask who writes it. */
  readonly isQuiet: boolean;
}

interface Seen {
  readonly first: number;
  readonly size: number;
  readonly mtimeMs: number;
  /** Since when size and time have been unchanged. */
  readonly since: number;
}

/** Decides when the files in one folder are complete, by comparing them with earlier looks. */
export class Settling {
  readonly #disk: Disk;
  readonly #seen = new Map<string, Seen>();

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  /** Looks at the file `name` at `path`. `now`: in milliseconds since 1970. */
  look(name: string, path: string, now: number): Glance {
    const look = this.#disk.look(path);
    if (look?.kind !== 'file') {
      this.#seen.delete(name);
      return { now, seen: null, isGone: look === null, isQuiet: true };
    }
    const seen = this.#remember(name, look, now);
    return { now, seen, isGone: false, isQuiet: now - quietSince(seen, now) >= quietMs };
  }

  /** Judges the file at `path` by a look at it. `writing`: who has it open, if that was asked. */
  judge({ now, seen, isGone }: Glance, path: string, writing: Writing | undefined): Settled {
    if (seen === null) return isGone ? { is: 'gone' } : { is: 'complete' };
    const unchanged = quietSince(seen, now);
    const quiet = writing === 'unknown' ? stillMs : quietMs;
    if (now - unchanged < quiet) return { is: 'wait', until: Math.ceil(unchanged + quiet) };
    if (writing === undefined) return { is: 'wait', until: now };
    if (typeof writing === 'object')
      return { is: 'wait', until: now + Math.max(againMs, Math.min(now - unchanged, seldomMs)) };
    const lacks = seen.size === 0 ? 'it is empty' : this.#unclosed(path);
    if (lacks === null) return { is: 'complete' };
    const patience = writing === 'unknown' ? longPatienceMs : patienceMs;
    if (now - seen.first >= patience) return { is: 'refuse', problem: lacks };
    return { is: 'wait', until: Math.min(now + againMs, seen.first + patience) };
  }

  /** Forgets a file that is no longer awaited. */
  forget(name: string): void {
    this.#seen.delete(name);
  }

  /** Forgets all files but these. */
  keepOnly(names: ReadonlySet<string>): void {
    for (const name of this.#seen.keys()) if (!names.has(name)) this.#seen.delete(name);
  }

  get size(): number {
    return this.#seen.size;
  }

  #remember(name: string, look: FileStat, now: number): Seen {
    const known = this.#seen.get(name);
    // A look in the future predates a change of the clock, and proves nothing.
    const before = known !== undefined && known.since <= now ? known : undefined;
    if (before?.size === look.size && before.mtimeMs === look.mtimeMs) return before;
    const seen = { first: before?.first ?? now, size: look.size, mtimeMs: look.mtimeMs, since: now };
    this.#seen.set(name, seen);
    return seen;
  }

  #unclosed(path: string): string | null {
    const head = this.#disk.read(path, frontMatterBytes);
    return head === null || isClosed(head.toString('utf8')) ? null : unclosedText;
  }
}

const unclosedText =
  'its front matter is not closed: the first line is `---`, and no other line within 64 KiB is `---`';

/**
 * The earliest time since which the file is known to be unchanged. A modification time in the
 * future proves nothing.
 */
function quietSince(seen: Seen, now: number): number {
  return seen.mtimeMs <= now ? Math.min(seen.since, seen.mtimeMs) : seen.since;
}

/** True unless front matter was opened (the first line is exactly `---`) and no line closes it. */
function isClosed(head: string): boolean {
  const opened = /^\ufeff?---\r?(?:\n|$)/.exec(head);
  return opened === null || /\n---\r?(?:\n|$)/.test(head.slice(opened[0].length - 1));
}
