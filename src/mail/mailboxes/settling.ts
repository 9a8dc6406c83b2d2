import type { Disk, FileStat } from '../../disk/disk.ts';

/** How long a file must be unchanged to count as complete, in milliseconds. */
const quietMs = 10;
/** After this long an empty or unclosed file is refused, in milliseconds. */
const patienceMs = 2_000;
/** How often an incomplete file is checked, in milliseconds; a watcher reports changes sooner. */
const againMs = 100;
/** Front matter must be closed within this many bytes. */
const frontMatterBytes = 64 * 1024;

export type Settled =
  | { readonly is: 'complete' }
  | { readonly is: 'wait'; readonly until: number }
  | { readonly is: 'refuse'; readonly problem: string }
  | { readonly is: 'gone' };

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

  /** Judges the file `name` at `path`; `now` in milliseconds since 1970. */
  judge(name: string, path: string, now: number): Settled {
    const look = this.#disk.look(path);
    if (look === null || look.kind !== 'file') {
      this.#seen.delete(name);
      return look === null ? { is: 'gone' } : { is: 'complete' };
    }
    const seen = this.#remember(name, look, now);
    const unchanged = quietSince(seen, now);
    if (now - unchanged < quietMs) return { is: 'wait', until: Math.ceil(unchanged + quietMs) };
    const lacks = look.size === 0 ? 'it is empty' : this.#unclosed(path);
    if (lacks === null) return { is: 'complete' };
    if (now - seen.first >= patienceMs) return { is: 'refuse', problem: lacks };
    return { is: 'wait', until: Math.min(now + againMs, seen.first + patienceMs) };
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
