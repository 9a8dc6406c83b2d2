import { setTimeout } from 'node:timers/promises';
import { messageOf } from '../kernel/errors.ts';
import { isHostFault } from '../kernel/passing.ts';
import type { HeldWork } from '../kernel/why.ts';

/** How long what could not start rests before it is tried again, in milliseconds. */
const restMs = 1_000;

const toStart = 'work waits until this machine can start it: ';
const toRecord = 'work has ended and waits until this machine can record it: ';

/** What people read of work that could not start. */
export function heldBecause(problem: string): string {
  return `${toStart}${problem}`;
}

/** The same for work that has ended, and is not read yet. */
export function unreadBecause(problem: string): string {
  return `${toRecord}${problem}`;
}

/** Whether a problem is one of these. */
export function isHeldBecause(problem: string): boolean {
  return problem.startsWith(toStart) || problem.startsWith(toRecord);
}

/**
 * What follows the end of a process, again and again while a fault of the machine prevents it.
 * `unread` receives each fault; where `isStopped`, it is thrown.
 */
export async function onceRepaired<T>(
  act: () => Promise<T>,
  { unread, isStopped }: { unread: (problem: string) => void; isStopped: () => boolean },
  rest = () => setTimeout(restMs),
): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!isHostFault(error) || isStopped()) throw error;
      unread(messageOf(error));
      await rest();
    }
  }
}

interface Waiting {
  readonly problem: string;
  /** When it could not start first. */
  readonly since: number;
  /** When it may be tried again. */
  readonly retryAt: number;
  /** Null: it is not tried now. */
  readonly triedAt: number | null;
}

/**
 * What waits, by key, until the machine can start it: no attempt has begun. In memory only: another
 * host tries at once.
 */
export class HostWaits {
  readonly #now: () => number;
  readonly #waiting = new Map<string, Waiting>();

  /** `now` is a monotonic clock, in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The machine could not start it. */
  hold(key: string, problem: string): void {
    const now = this.#now();
    const since = this.#waiting.get(key)?.since ?? now;
    this.#waiting.set(key, { problem, since, retryAt: now + restMs, triedAt: null });
  }

  /** Whether it may start now; it counts as tried then. */
  mayTry(key: string): boolean {
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) return true;
    const now = this.#now();
    if (now < waiting.retryAt) return false;
    this.#waiting.set(key, { ...waiting, triedAt: now });
    return true;
  }

  /** It runs, or has ended. */
  forget(key: string): void {
    this.#waiting.delete(key);
  }

  /** Forgets what is not wanted any more. */
  keep(wanted: { has(key: string): boolean }): void {
    for (const key of this.#waiting.keys()) if (!wanted.has(key)) this.#waiting.delete(key);
  }

  /** How long it has waited, in milliseconds. */
  heldMs(key: string): number {
    const waiting = this.#waiting.get(key);
    return waiting === undefined ? 0 : this.#now() - waiting.since;
  }

  /** How many wait; what is tried counts until it has run for a while. */
  get size(): number {
    return this.keys.length;
  }

  /** How many of them are being tried. */
  get tried(): number {
    return this.keys.filter((key) => this.#waiting.get(key)?.triedAt !== null).length;
  }

  /** Why, in words; null: none waits. */
  get problem(): string | null {
    return this.#waiting.get(this.keys[0] ?? '')?.problem ?? null;
  }

  /** What waits, with the reason of each. */
  get held(): HeldWork[] {
    return this.keys.map((work) => ({ work, problem: this.#waiting.get(work)?.problem ?? '' }));
  }

  /** What waits. */
  get keys(): string[] {
    const now = this.#now();
    return [...this.#waiting].flatMap(([key, { triedAt }]) =>
      triedAt === null || now - triedAt < restMs ? [key] : [],
    );
  }
}
