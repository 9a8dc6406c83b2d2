import process from 'node:process';
import { hasMark, listProcesses, pidCounter, readProcess, type ProcessInfo } from '../proc.ts';
import type { Leader } from '../starting/here.ts';
import { descendants, endAll, signalGroup, signalProcess, type Ended } from '../sweep.ts';

/** Up to this many new processes are checked one by one, instead of listing all processes. */
const FEW = 64;
/** Assumed maximum of process starts per second; beyond it pids may have wrapped around. */
const STARTS_PER_SECOND = 20_000;

/** Leaders of trees that still exist: none of them belongs to another tree. */
const living = new Set<number>();

/**
 * A process started as leader of a session, with all its descendants: found by its group and
 * session, by the mark in the environment, and by parentage seen while it lived.
 */
export class ProcessTree {
  readonly #session: Leader;
  readonly #mark: string;
  readonly #contained: boolean;
  readonly #started = performance.now();
  readonly #seen = new Map<number, ProcessInfo>();
  /**
   * The last look found a process that may be in the middle of an exec, so that its owner is
   * unknown.
   */
  #unclear = false;

  /** `contained`: the leader only waits for a namespace in which its child is the first process. */
  constructor(session: Leader, mark: string, contained: boolean) {
    this.#session = session;
    this.#mark = mark;
    this.#contained = contained;
    living.add(session.pid);
  }

  /** Asks the program to end. Call it only before the leader is reaped. */
  terminate(): void {
    const below = this.#lookBelow();
    if (!this.#contained || below.length === 0) return signalGroup(this.#session, 'SIGTERM');
    // The kernel drops a TERM to the first process of a namespace, and bwrap treats its own as an
    // order to KILL.
    const inside = below.filter(({ parent }) => parent !== this.#session.pid);
    const own = inside.filter(({ group }) => group === this.#session.pid);
    for (const info of own.length > 0 ? own : inside) signalProcess(info, 'SIGTERM');
  }

  /** Kills all processes at once. Call it only before the leader is reaped. */
  kill(): void {
    const below = this.#lookBelow();
    signalGroup(this.#session, 'SIGKILL');
    for (const info of below) signalProcess(info, 'SIGKILL');
  }

  /**
   * Ends the processes that the leader has left: TERM, the grace time, KILL. Call it once the
   * leader is reaped.
   */
  endLeftovers(graceMs: number): Promise<Ended> {
    living.delete(this.#session.pid);
    return endAll(
      () => this.#leftovers(),
      graceMs,
      () => this.#unclear,
    );
  }

  #lookBelow(): ProcessInfo[] {
    try {
      const all = (listProcesses() ?? []).flatMap((pid) => readProcess(pid) ?? []);
      const below = descendants(all, new Set([this.#session.pid]));
      for (const info of below) this.#seen.set(info.pid, info);
      return below;
    } catch {
      // If listing fails (too many open files) the group remains; the mark finds the others in the
      // end.
      return [];
    }
  }

  #leftovers(): ProcessInfo[] {
    // A new process under the leader's pid means that its session is empty: the system does not
    // assign a pid that is in use as a session id.
    const session = readProcess(this.#session.pid) === null ? this.#session.pid : null;
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
      // Kernel threads, which have no environment either, are in no group.
      else if (marked === null && info.group !== 0) this.#unclear = true;
    }
    return found;
  }

  /** Every process that may have started after the leader. */
  #candidates(): Iterable<number> {
    const counter = pidCounter();
    if (counter === null || performance.now() - this.#started >= (counter.limit / STARTS_PER_SECOND) * 1000)
      return listProcesses() ?? [];
    const count = (counter.last - this.#session.pid + counter.limit) % counter.limit;
    const isLater = (pid: number): boolean =>
      (pid - this.#session.pid - 1 + counter.limit) % counter.limit < count;
    const later =
      count <= FEW
        ? Array.from({ length: count }, (_, i) => (this.#session.pid + 1 + i) % counter.limit)
        : (listProcesses() ?? []).filter(isLater);
    return [...this.#seen.keys(), ...later];
  }
}
