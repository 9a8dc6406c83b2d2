import { setOwn } from '../../kernel/own.ts';
import type { LogLines } from '../../documents/logs.ts';

/** How many lines of a log are kept around its failure, at its end and at its beginning. */
const lines = { failure: 400, end: 300, beginning: 50 } as const;
/** The longest line of which all is kept, in characters, and the most bytes of one log. */
const longest = 2_000;
const mostOfLog = 256 * 1024;

interface KeptPart {
  readonly first: number;
  readonly lines: readonly string[];
}

/** What a saved page has of a log. */
interface KeptLog extends Pick<LogLines, 'total' | 'size' | 'failure'> {
  readonly parts: readonly KeptPart[];
}

/** Keeps what matters of logs, by their paths in the API, until its bytes are used up. */
export class LogKeeper {
  readonly logs: Record<string, KeptLog> = {};
  readonly #read: (path: string) => Promise<LogLines | null>;
  /** The bytes that are left; null: everything is kept. */
  #left: number | null;

  constructor(read: (path: string) => Promise<LogLines | null>, left: number | null) {
    this.#read = read;
    this.#left = left;
  }

  async keep(path: string): Promise<void> {
    const failed = await this.#read(`${path}/lines?around=failure&lines=${String(lines.failure)}`);
    if (failed === null) return;
    const { total, size, failure } = failed;
    const parts = this.#left === null ? await this.#all(path, total) : await this.#around(path, failed);
    setOwn(this.logs, path, { total, size, failure, parts });
  }

  async #all(path: string, total: number): Promise<KeptPart[]> {
    const parts: KeptPart[] = [];
    for (let first = 1; first <= total;) {
      const part = await this.#read(`${path}/lines?from=${String(first)}&lines=1000`);
      if (part === null || part.lines.length === 0) break;
      parts.push({ first, lines: part.lines });
      first += part.lines.length;
    }
    return parts;
  }

  async #around(path: string, failed: LogLines): Promise<KeptPart[]> {
    const parts: KeptPart[] = [];
    let left = Math.min(mostOfLog, this.#left ?? 0);
    const middle = (failed.failure?.line ?? failed.total) - failed.first;
    const others = [
      `${path}/lines?around=end&lines=${String(lines.end)}`,
      `${path}/lines?from=1&lines=${String(lines.beginning)}`,
    ];
    const take = (part: LogLines | null, centre: number) => {
      if (part === null) return;
      const kept = around(part, centre, left);
      if (kept.lines.length > 0) parts.push(kept);
      const used = bytesOf(kept.lines);
      left -= used;
      this.#left = (this.#left ?? 0) - used;
    };
    take(failed, middle);
    take(await this.#read(others[0]!), lines.end);
    take(await this.#read(others[1]!), 0);
    return parts;
  }
}

/** The lines next to one of them, as many as fit into some bytes. */
function around({ first, lines: all }: LogLines, centre: number, bytes: number): KeptPart {
  const cut = all.map((line) => (line.length > longest ? `${line.slice(0, longest)} …` : line));
  let [from, to] = [Math.min(centre, cut.length), Math.min(centre, cut.length)];
  let left = bytes;
  for (let isGrowing = true; isGrowing;) {
    isGrowing = false;
    for (const next of [to < cut.length ? to : -1, from - 1]) {
      const size = next === -1 ? Infinity : bytesOf([cut[next]!]);
      if (size > left) continue;
      left -= size;
      isGrowing = true;
      if (next === to) to += 1;
      else from = next;
    }
  }
  return { first: first + from, lines: cut.slice(from, to) };
}

/** As JSON in the page, in which `<` takes six bytes. */
function bytesOf(some: readonly string[]): number {
  return Buffer.byteLength(JSON.stringify(some).replaceAll('<', '\\u003c'));
}
