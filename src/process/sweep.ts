import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { runningTime } from './running-time.ts';
import type { Leader } from './starting/here.ts';
import { isAlive, listProcesses, readProcess, readVariable, type ProcessInfo } from './proc.ts';

/**
 * How long after KILL a process may take to disappear before it counts as a survivor, in
 * milliseconds.
 */
const KILL_WAIT_MS = 2000;
/** How often to look again while the owner of a process is unknown: for about 100 ms. */
const UNCLEAR_LOOKS = 8;
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 50;

export interface Ended {
  /** Processes that were asked to end and did. */
  readonly ended: readonly ProcessInfo[];
  /** Processes that survived KILL. */
  readonly survivors: readonly ProcessInfo[];
}

interface Sweep extends Ended {
  /** False: this system has no /proc, so processes cannot be found. */
  readonly supported: boolean;
}

/**
 * Ends every process whose mark begins with the prefix, and their descendants, even if these hide
 * the mark: TERM, the grace time, KILL. Spares this process and its ancestors.
 */
export async function sweepMarked(
  prefix: string,
  graceMs = 3000,
  variable = 'MAILROOM_MARK',
): Promise<Sweep> {
  const find = (): ProcessInfo[] => findMarked(prefix, variable);
  if (listProcesses() === null) return { supported: false, ended: [], survivors: [] };
  const first = await endAll(find, graceMs);
  // A process in the middle of an exec briefly shows no environment.
  await wait(LONGEST_PAUSE_MS);
  const second = await endAll(find, graceMs);
  return {
    supported: true,
    ended: [...first.ended, ...second.ended],
    survivors: second.survivors,
  };
}

/** The living processes with a variable that begins so, and their descendants. */
export function findMarked(prefix: string, variable: string): ProcessInfo[] {
  const all = (listProcesses() ?? []).flatMap((pid) => readProcess(pid) ?? []);
  const spared = lineOf(process.pid);
  const marked = all.filter(({ pid, ended }) => {
    if (ended || spared.has(pid)) return false;
    return readVariable(pid, variable)?.startsWith(prefix) === true;
  });
  return [...marked, ...descendants(all, new Set(marked.map(({ pid }) => pid)))].filter(
    ({ pid }) => !spared.has(pid),
  );
}

/** A process and its ancestors. */
function lineOf(pid: number): Set<number> {
  const line = new Set<number>();
  for (let next = pid; next > 0 && !line.has(next); next = readProcess(next)?.parent ?? 0) line.add(next);
  return line;
}

/** The living descendants of these processes, without the processes themselves. */
export function descendants(all: readonly ProcessInfo[], roots: ReadonlySet<number>): ProcessInfo[] {
  const children = new Map<number, ProcessInfo[]>();
  for (const info of all) {
    const siblings = children.get(info.parent);
    if (siblings === undefined) children.set(info.parent, [info]);
    else siblings.push(info);
  }
  const found: ProcessInfo[] = [];
  const queue = [...roots];
  for (const pid of queue) {
    for (const child of children.get(pid) ?? []) {
      if (roots.has(child.pid)) continue;
      queue.push(child.pid);
      if (!child.ended) found.push(child);
    }
  }
  return found;
}

/**
 * Ends the processes that `find` returns, repeating until it finds no more: TERM to each, KILL
 * after the grace time. A process found once is followed to its end even if `find` no longer
 * returns it. Repeats briefly, too, if the last look was `unclear`.
 */
export async function endAll(
  find: () => readonly ProcessInfo[],
  graceMs: number,
  unclear: () => boolean = () => false,
): Promise<Ended> {
  const ending = new Map<number, ProcessInfo>();
  const look = (): ProcessInfo[] => {
    const found = new Map(find().map((info) => [info.pid, info]));
    for (const info of ending.values()) if (isAlive(info)) found.set(info.pid, info);
    return [...found.values()];
  };
  const start = runningTime.now();
  let alive = look();
  let pause = FIRST_PAUSE_MS;
  let looks = 0;
  for (;;) {
    const elapsed = runningTime.now() - start;
    if (alive.length === 0 && (!unclear() || (looks += 1) > UNCLEAR_LOOKS)) break;
    if (elapsed > graceMs + KILL_WAIT_MS) break;
    for (const info of alive) {
      if (elapsed >= graceMs) signalProcess(info, 'SIGKILL');
      else if (!ending.has(info.pid)) signalProcess(info, 'SIGTERM');
      ending.set(info.pid, info);
    }
    await wait(pause);
    pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
    alive = look();
  }
  const survivors = new Set(alive.map(({ pid }) => pid));
  return { ended: [...ending.values()].filter(({ pid }) => !survivors.has(pid)), survivors: alive };
}

/** Signals exactly this process, never another one under its recycled pid. */
export function signalProcess(info: ProcessInfo, signal: NodeJS.Signals): void {
  if (!isAlive(info)) return;
  try {
    process.kill(info.pid, signal);
  } catch {
    // It has just ended, or belongs to another user: the next look decides.
  }
}

/** Signals the group of a leader, unless that has ended and another process may have its pid. */
export function signalGroup({ pid, startTime }: Leader, signal: NodeJS.Signals): void {
  if (startTime !== null && !isAlive({ pid, startTime })) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // All processes in it have just ended.
  }
}
