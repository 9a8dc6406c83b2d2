import process from 'node:process';
import { hasMark, listProcesses, pidCounter, readProcess, type ProcessInfo } from '../proc.ts';
import { descendants, endAll, signalProcess, type Ended } from './sweep.ts';

/** Up to so many new processes are looked for one by one, instead of listing all that the system has. */
const FEW = 64;
/** No system is expected to start more processes in a second; beyond, pids may have come round. */
const STARTS_PER_SECOND = 20_000;

/** Leaders of trees that are not over: none of them is in the tree of another. */
const living = new Set<number>();

/**
 * A process that was started as leader of a session, with everything that it started: by its group and session, by the
 * mark in the environment, and by what was seen below it while it lived.
 */
export class ProcessTree {
  readonly #leader: number;
  readonly #mark: string;
  readonly #contained: boolean;
  readonly #started = performance.now();
  readonly #seen = new Map<number, ProcessInfo>();
  /** At the last look there was a process that may be in the middle of an exec, so that nobody could say whose it is. */
  #unclear = false;

  /** `contained`: the leader only waits for a namespace in which its child is the first process. */
  constructor(leader: number, mark: string, contained: boolean) {
    this.#leader = leader;
    this.#mark = mark;
    this.#contained = contained;
    living.add(leader);
  }

  /** Asks the program to end. Call it only while the leader has not been reaped. */
  terminate(): void {
    const below = this.#lookBelow();
    if (!this.#contained || below.length === 0) return signalGroup(this.#leader, 'SIGTERM');
    // The kernel drops a TERM to the first process of a namespace, and bwrap takes its own for an order to KILL.
    const inside = below.filter(({ parent }) => parent !== this.#leader);
    const own = inside.filter(({ group }) => group === this.#leader);
    for (const info of own.length > 0 ? own : inside) signalProcess(info, 'SIGTERM');
  }

  /** Ends everything at once. Call it only while the leader has not been reaped. */
  kill(): void {
    const below = this.#lookBelow();
    signalGroup(this.#leader, 'SIGKILL');
    for (const info of below) signalProcess(info, 'SIGKILL');
  }

  /** Ends what the leader has left behind: TERM, the grace time, KILL. Call it once the leader is reaped. */
  endLeftovers(graceMs: number): Promise<Ended> {
    living.delete(this.#leader);
    return endAll(
      () => this.#leftovers(),
      graceMs,
      () => this.#unclear,
    );
  }

  #lookBelow(): ProcessInfo[] {
    try {
      const all = (listProcesses() ?? []).flatMap((pid) => readProcess(pid) ?? []);
      const below = descendants(all, new Set([this.#leader]));
      for (const info of below) this.#seen.set(info.pid, info);
      return below;
    } catch {
      // Without a look (too many open files) there is still the group; what it misses, the mark finds in the end.
      return [];
    }
  }

  #leftovers(): ProcessInfo[] {
    // A new process under the leader's pid means that its session is empty: a number in use as one is not given out.
    const session = readProcess(this.#leader) === null ? this.#leader : null;
    const found: ProcessInfo[] = [];
    this.#unclear = false;
    for (const pid of this.#candidates()) {
      if (living.has(pid)) continue;
      const info = readProcess(pid);
      if (info === null || info.ended || pid === process.pid) continue;
      const seen = this.#seen.get(pid)?.startTime === info.startTime;
      const own = session !== null && (info.session === session || info.group === session);
      const marked = seen || own || hasMark(pid, this.#mark);
      if (marked) found.push(info);
      // Threads of the kernel, which have no environment either, are in no group.
      else if (marked === null && info.group !== 0) this.#unclear = true;
    }
    return found;
  }

  /** Every process that may have been started since the leader was. */
  #candidates(): Iterable<number> {
    const counter = pidCounter();
    if (counter === null || performance.now() - this.#started >= (counter.limit / STARTS_PER_SECOND) * 1000)
      return listProcesses() ?? [];
    const count = (counter.last - this.#leader + counter.limit) % counter.limit;
    const isLater = (pid: number): boolean =>
      (pid - this.#leader - 1 + counter.limit) % counter.limit < count;
    const later =
      count <= FEW
        ? Array.from({ length: count }, (_, i) => (this.#leader + 1 + i) % counter.limit)
        : (listProcesses() ?? []).filter(isLater);
    return [...this.#seen.keys(), ...later];
  }
}

function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch {
    // Everything in it has just ended.
  }
}
