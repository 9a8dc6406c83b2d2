import type { ChildProcess } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { readProcess, type ProcessInfo } from '../proc.ts';
import { endAll } from '../supervision/sweep.ts';
import type { Leader, Order, StartEvents, Starting } from './here.ts';

/*
 * The launcher: a small process that starts the programs of this one. Node starts a program by
 * `fork`, which copies the page tables of the whole process, on its main thread: a start costs
 * what the process weighs. The launcher weighs little, and when its host is gone it ends what the
 * host has left.
 */

/** What the host sends; `id` is that of the order, whose descriptors are those of the host. */
export type Ask =
  | { readonly id: number; readonly start: Order }
  | { readonly id: number; readonly barrier: 'open' | 'close' };

/** What the launcher answers. */
export type Answer =
  /** It can open the descriptors of the host, or cannot. */
  | { readonly is: 'ready'; readonly works: boolean }
  | { readonly is: 'started'; readonly id: number; readonly leader: Leader }
  | { readonly is: 'reached'; readonly id: number }
  | { readonly is: 'refused'; readonly id: number; readonly error: Readonly<Record<string, string>> }
  | {
      readonly is: 'ended';
      readonly id: number;
      readonly exitCode: number | null;
      readonly signal: NodeJS.Signals | null;
    };

/** Why a program is reported as ended with neither exit code nor signal. */
export const LOST = 'the launcher has ended (ELAUNCHER)';

/** How a program that has lost its launcher is ended, in milliseconds. */
const GRACE_MS = 3000;
const LOOK_MS = 20;

let spawnOne: (() => ChildProcess) | null = null;
let current: Launcher | null = null;

/** Lets this process have launchers, one at a time, which `spawn` starts. */
export function useLaunchers(spawn: () => ChildProcess): void {
  spawnOne = spawn;
}

/** Starts a launcher, if this process may have one and has none: for a host of programs. */
export function openLauncher(): void {
  if (spawnOne !== null && current?.isLost !== false) current = new Launcher(spawnOne());
}

/** Null: there is none, it is not ready yet, or none works here. */
export function readyLauncher(): Launcher | null {
  if (current?.isLost === true) openLauncher();
  return current?.isReady === true ? current : null;
}

interface Running {
  readonly order: Order;
  readonly events: StartEvents;
  leader: Leader | null;
}

/** The host's side of a launcher. */
export class Launcher {
  isReady = false;
  isLost = false;
  readonly #child: ChildProcess;
  readonly #running = new Map<number, Running>();
  #last = 0;

  constructor(child: ChildProcess) {
    this.#child = child;
    child.on('message', (answer: Answer) => this.#take(answer));
    for (const end of ['error', 'exit', 'disconnect']) child.once(end, () => this.#lost());
    child.unref();
    child.channel?.unref();
  }

  /** Starts a program. Descriptors of `order` stay open until it has started. */
  start(order: Order, events: StartEvents): Starting {
    const id = (this.#last += 1);
    this.#running.set(id, { order, events, leader: null });
    // This process stays for the end of what it has started.
    this.#child.channel?.ref();
    this.#send({ id, start: order });
    const barrier = (is: 'open' | 'close') => (): void => {
      if (order.barrier && this.#running.has(id)) this.#send({ id, barrier: is });
    };
    return { pipes: null, open: barrier('open'), close: barrier('close') };
  }

  #send(ask: Ask): void {
    // That the launcher has gone is reported by its end.
    this.#child.send(ask, () => {});
  }

  #take(answer: Answer): void {
    if (answer.is === 'ready') {
      this.isReady = answer.works;
      return;
    }
    const running = this.#running.get(answer.id);
    if (running === undefined) return;
    const { events } = running;
    if (answer.is === 'reached') return events.reached?.();
    if (answer.is === 'started') {
      running.leader = answer.leader;
      return events.started(answer.leader);
    }
    this.#forget(answer.id);
    if (answer.is === 'refused')
      events.refused(Object.assign(new Error(answer.error['message']), answer.error));
    else events.ended(answer.exitCode, answer.signal);
  }

  #forget(id: number): void {
    this.#running.delete(id);
    if (this.#running.size === 0 && !this.isLost) this.#child.channel?.unref();
  }

  #lost(): void {
    if (this.isLost) return;
    [this.isReady, this.isLost] = [false, true];
    for (const [id, running] of this.#running) {
      this.#running.delete(id);
      void abandoned(running);
    }
  }
}

/** Reports the end of a program whose launcher is gone, once it has ended. */
async function abandoned({ order, events, leader }: Running): Promise<void> {
  if (leader === null) return events.refused(new Error(LOST));
  const left = (): ProcessInfo[] => {
    const found = readProcess(leader.pid);
    return found !== null && !found.ended && found.startTime === leader.startTime ? [found] : [];
  };
  if (order.mark !== null) await endAll(left, GRACE_MS);
  // A tool of the host, such as git, ends when it is done.
  else while (left().length > 0) await wait(LOOK_MS);
  events.ended(null, null);
}
