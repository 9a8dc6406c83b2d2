import fs from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import type { Classify, Operation } from './operation.ts';
import type { Order, Told } from './order.ts';

/** The system's own functions, before they are replaced. */
const { closeSync, existsSync, fstatSync, openSync, rmSync, statSync, truncateSync, writeSync } = fs;
const kill = process.kill.bind(process);

/** A file that was written. */
interface Appended {
  synced: number;
  /** Whether its folder was synced since the file was made. */
  named: boolean;
  /** False: nobody is promised that it outlives a power cut. */
  outlives: boolean;
}

/** Counts the effects, and kills the program where the order says. */
export class Killer {
  readonly order: Order;
  /** True until a journal is opened. */
  starting = true;
  /** True while the system works: Node makes some of its functions of others. */
  #inside = false;
  readonly #classify: Classify;
  readonly #counts = new Map<string, [number, number]>();
  /** By path: how much of each a power cut leaves. */
  #appended = new Map<string, Appended>();

  constructor(order: Order, classify: Classify) {
    this.order = order;
    this.#classify = classify;
  }

  /** Does something outside. `half` does half of it. */
  perform<T>(operation: Operation, act: () => T, half: (() => void) | null = null): T {
    if (this.#inside) return act();
    const name = this.#nameOf(operation);
    if (name === null) return act();
    const moment = this.#due(name, half !== null);
    if (moment === 'before') this.die();
    if (moment === 'during') {
      half?.();
      this.die();
    }
    try {
      const result = this.#within(act);
      if (moment === 'after') this.die();
      return result;
    } catch (error) {
      // What the system refused did not happen.
      this.#take(name, half !== null, -1);
      throw error;
    }
  }

  /** Starts a process; `ended` says when what it does is done. */
  start<T>(operation: Operation, act: () => T, ended: (child: T, then: () => void) => void): T {
    const name = this.#nameOf(operation);
    if (name === null) return act();
    const moment = this.#due(name, true);
    if (moment === 'before') this.die();
    const child = this.#within(act);
    if (moment === 'during') this.die();
    if (moment === 'after') ended(child, () => this.die());
    return child;
  }

  #within<T>(act: () => T): T {
    this.#inside = true;
    try {
      return act();
    } finally {
      this.#inside = false;
    }
  }

  #nameOf(operation: Operation): string | null {
    const name = this.#classify(operation);
    if (name === null) this.refuse(JSON.stringify(operation));
    return name === 'inward' ? null : name;
  }

  /** Which moment of this effect the program dies at, if any. */
  #due(name: string, halves: boolean): 'before' | 'during' | 'after' | null {
    const counts = this.#take(name, halves, 1);
    const { kill: wanted } = this.order;
    if (wanted?.name !== name) return null;
    if (wanted.moment === 'during') return halves && counts[1] === wanted.nth ? 'during' : null;
    return counts[0] === wanted.nth ? wanted.moment : null;
  }

  #take(name: string, halves: boolean, step: 1 | -1): readonly [number, number] {
    const [all, some] = this.#counts.get(name) ?? [0, 0];
    const counts: [number, number] = [all + step, halves ? some + step : some];
    this.#counts.set(name, counts);
    return counts;
  }

  /** What the table does not know must not happen unseen. */
  refuse(operation: string): never {
    this.tell({ is: 'unknown', operation });
    throw new Error(`the kill matrix has no name for ${operation}`);
  }

  /** What to put in place of functions that the table has no name for. */
  refusing(module: string, from: object, names: readonly string[]): Record<string, unknown> {
    const functions = from as Readonly<Record<string, (...args: unknown[]) => unknown>>;
    const refuse = (name: string) => {
      const own = functions[name];
      return (...args: unknown[]): unknown =>
        this.#inside ? own?.(...args) : this.refuse(`${module} ${name}`);
    };
    return Object.fromEntries(names.map((name) => [name, refuse(name)]));
  }

  die(): never {
    if (this.order.powerLoss) this.#within(() => this.#cutPower());
    this.tell({ is: 'killed' });
    kill(process.pid, 'SIGKILL');
    throw new Error('a killed process went on');
  }

  ended(): void {
    this.tell({ is: 'ended', census: Object.fromEntries(this.#counts) });
  }

  tell(told: Told): void {
    const file = openSync(this.order.log, 'a');
    writeSync(file, `${JSON.stringify(told)}\n`);
    closeSync(file);
  }

  /** A journal is open. */
  began(): void {
    this.starting = false;
  }

  /** A file is open that is written; what it holds already is safe for having been found. */
  opened(path: string, file: number, isNew: boolean): void {
    this.#appended.set(path, { synced: fstatSync(file).size, named: !isNew, outlives: outlives(path) });
  }

  synced(path: string, size: number): void {
    const appended = this.#appended.get(path);
    if (appended) appended.synced = size;
  }

  /** A folder was synced. */
  named(folder: string): void {
    for (const [path, appended] of this.#appended) if (dirname(path) === folder) appended.named = true;
  }

  moved(from: string, to: string): void {
    const place = (path: string): string =>
      path === from || path.startsWith(`${from}/`) ? `${to}${path.slice(from.length)}` : path;
    this.#appended = new Map(
      [...this.#appended].map(([path, appended]) => {
        const here = place(path);
        return [here, { ...appended, outlives: appended.outlives || outlives(here) }];
      }),
    );
  }

  #cutPower(): void {
    for (const [path, { synced, named, outlives: wanted }] of this.#appended) {
      if (!wanted) continue;
      if (!named) rmSync(path, { force: true });
      else if (existsSync(path) && statSync(path).size > synced) truncateSync(path, synced);
    }
  }
}

/** What must outlive a loss of power: journals, what is copied for an artifact, what is undone by a rollback, signed events and their key. */
function outlives(path: string): boolean {
  return /\/journal\/[^/]+\.log$|\/\.[^/]+\.new\/|\/rolled-back[^/]*\.patch$|\/events\/.*\.jsonl$|\/nostr\.key$/.test(
    path,
  );
}
