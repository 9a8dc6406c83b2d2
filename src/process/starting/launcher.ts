import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { launcherIsLost } from '../../kernel/passing.ts';
import { findMarked, sweepMarked } from '../sweep.ts';
import { startHere, type Leader, type Order, type StartEvents, type Starting } from './here.ts';

/*
 * The launcher: a small process that starts the programs of this one. Node starts a program by
 * `fork`, which copies the page tables of the whole process, on its main thread: a start costs
 * what the process weighs. The launcher weighs little, and when its host is gone it ends what the
 * host has left.
 */

/** What the host sends; `id` is that of the order, whose descriptors are those of the host. */
export type Ask =
  | { readonly id: number; readonly start: Order }
  | { readonly id: number; readonly barrier: 'open' | 'close' }
  | { readonly pipes: number }
  /** How the `MAILROOM_LAUNCH` begins of what ends with the host. */
  | { readonly ending: string };

/** What the launcher answers. */
export type Answer =
  /** Whether it can open the descriptors of the host; its `MAILROOM_LAUNCHER`. */
  | { readonly is: 'ready'; readonly works: boolean; readonly name: string }
  | { readonly is: 'pipes'; readonly paths: readonly string[] }
  | { readonly is: 'started'; readonly id: number; readonly leader: Leader }
  | { readonly is: 'reached'; readonly id: number }
  | { readonly is: 'refused'; readonly id: number; readonly error: Readonly<Record<string, string>> }
  | {
      readonly is: 'ended';
      readonly id: number;
      readonly exitCode: number | null;
      readonly signal: NodeJS.Signals | null;
    };

/** How many pipes it makes at once. */
export const PIPES = 48;

/** How a program that has lost its launcher is ended, in milliseconds. */
const GRACE_MS = 3000;
const LOOK_MS = 20;

/**
 * Starts the program of a launcher, with a channel of Node to it and a `MAILROOM_LAUNCHER` that no
 * other process has.
 */
export type SpawnLauncher = () => ChildProcess;

/** How `MAILROOM_LAUNCH` begins for what this process starts. */
const own = `${process.pid}-${randomBytes(4).toString('hex')}`;
let started = 0;
let spawnOne: SpawnLauncher | null = null;
let current: Launcher | null = null;
/** How many launchers in succession could not work: after some, this process has none. */
let failures = 0;
const MOST_FAILURES = 3;

/** Lets this process have launchers, one at a time, which `spawn` starts. */
export function useLaunchers(spawn: SpawnLauncher): void {
  spawnOne = spawn;
}

/** Starts a launcher, if this process may have one and has none: for a host of programs. */
export function openLauncher(): void {
  const isWanted = spawnOne !== null && current?.isLost !== false && failures < MOST_FAILURES;
  if (isWanted) current = new Launcher(spawnOne!());
}

/** Null: there is none, it is not ready yet, or none works here. */
export function readyLauncher(): Launcher | null {
  if (current?.isLost === true) openLauncher();
  return current?.isReady === true ? current : null;
}

/**
 * Starts a program with these ends of its pipes: by the launcher of this process, if there is one
 * that can have them, or as a child. Never throws.
 */
export function begin(order: Order, events: StartEvents): Starting {
  // A pipe of Node cannot be handed to another process.
  const launcher = order.stdio.includes('pipe') ? null : readyLauncher();
  const whole = spawnOne === null ? order : named(order);
  return launcher === null ? startHere(whole, events) : launcher.start(whole, events);
}

/** By this variable it is found when this process or the launcher, which would know it, is gone. */
function named(order: Order): Order {
  const name = `${own}:${order.mark === null ? 'tool' : 'work'}:${(started += 1)};`;
  return { ...order, env: { ...order.env, MAILROOM_LAUNCH: name } };
}

/** Starts a program that survives this process, without input and output. */
export function beginAlone(order: Pick<Order, 'argv' | 'cwd' | 'env'>): void {
  const stdio = ['ignore', 'ignore', 'ignore'] as const;
  const whole = { ...order, file: order.argv[0] ?? '', stdio, mark: null, barrier: false };
  begin(whole, { started() {}, refused() {}, ended() {} }).unref();
}

interface Running {
  readonly order: Order;
  readonly events: StartEvents;
  isStarted: boolean;
}

/** The host's side of a launcher. */
export class Launcher {
  isReady = false;
  isLost = false;
  readonly #child: ChildProcess;
  #name = '';
  readonly #running = new Map<number, Running>();
  #last = 0;
  #pipes: readonly string[] = [];
  /** Whether it makes pipes, as it does at first. */
  #isMaking = true;

  constructor(child: ChildProcess) {
    this.#child = child;
    child.on('message', (answer: Answer) => this.#take(answer));
    for (const end of ['error', 'exit', 'disconnect']) child.once(end, () => this.#lost());
    // One that was killed says nothing of the next.
    child.once('exit', (code) => (failures += code !== null && this.#name === '' ? 1 : 0));
    child.once('error', () => (failures += 1));
    this.#send({ ending: `${own}:work:` });
    child.unref();
    child.channel?.unref();
    // It was started before this program was loaded.
    if (!child.connected) this.#lost();
  }

  /** Starts a program. Descriptors of `order` stay open until it has started. */
  start(order: Order, events: StartEvents): Starting {
    const id = (this.#last += 1);
    this.#running.set(id, { order, events, isStarted: false });
    // This process stays for the end of what it has started.
    this.#child.channel?.ref();
    // The launcher is in another folder.
    this.#send({ id, start: { ...order, cwd: resolve(order.cwd) } });
    const barrier = (is: 'open' | 'close') => (): void => {
      if (order.barrier && this.#running.has(id)) this.#send({ id, barrier: is });
    };
    const unref = (): void => this.#forget(id);
    return { pipes: null, open: barrier('open'), close: barrier('close'), unref };
  }

  /** Paths of pipes that it has made; open them at once: when it makes others, they lead there. */
  pipes(): readonly string[] {
    const made = this.#pipes;
    this.#pipes = [];
    return made;
  }

  /** Has it make more pipes, unless it has some or is at it. */
  morePipes(): void {
    if (this.#isMaking || this.#pipes.length > 0) return;
    this.#isMaking = true;
    this.#send({ pipes: PIPES });
  }

  #send(ask: Ask): void {
    // That the launcher has gone, or has not started, is reported by its end.
    if (this.#child.connected) this.#child.send(ask, () => {});
  }

  #take(answer: Answer): void {
    if (answer.is === 'ready') {
      failures = 0;
      [this.isReady, this.#name] = [answer.works, answer.name];
      return;
    }
    if (answer.is === 'pipes') {
      [this.#isMaking, this.#pipes] = [false, answer.paths];
      return;
    }
    const running = this.#running.get(answer.id);
    if (running === undefined) return;
    const { events } = running;
    if (answer.is === 'reached') return events.reached?.();
    if (answer.is === 'started') {
      running.isStarted = true;
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
    const wasReady = this.isReady;
    [this.isReady, this.isLost] = [false, true];
    // What this process has started itself needs one, too; one that never worked is not repeated.
    if (wasReady) openLauncher();
    if (this.#running.size === 0) return;
    const born = this.#endUnborn();
    for (const [id, running] of this.#running) {
      this.#running.delete(id);
      void born.then(() => abandoned(running)).then((report) => report());
    }
  }

  /** A child of the launcher that has yet to become its program, by which it would not be found. */
  async #endUnborn(): Promise<void> {
    try {
      await sweepMarked(this.#name, 0, 'MAILROOM_LAUNCHER');
    } catch {
      // Too many files are open: see `abandoned`.
    }
  }
}

/** Waits until a program whose launcher is gone has ended with its descendants. */
async function abandoned({ order, events, isStarted }: Running): Promise<() => void> {
  const [name = '', variable] = [order.env['MAILROOM_LAUNCH'], 'MAILROOM_LAUNCH'];
  try {
    // A tool of the host, such as git, ends when it is done.
    while (order.mark === null && findMarked(name, variable).length > 0) await wait(LOOK_MS);
    await sweepMarked(name, GRACE_MS, variable);
  } catch {
    // Too many files are open: what has begun is found by its mark at the next start.
  }
  return isStarted ? () => events.ended(null, null) : () => events.refused(new Error(launcherIsLost));
}
