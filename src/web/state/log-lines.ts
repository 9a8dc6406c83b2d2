import { signal } from '@preact/signals';
import type { LogLines } from '../../documents/logs.ts';
import { Problem } from '../api/client.ts';
import { readLines, type LogPlace } from '../api/logs.ts';
import { saved } from './saved.ts';

/** How many lines are read at once, how many are kept, and how far from the shown ones. */
const atOnce = 500;
const mostKept = 20_000;
const distance = 5_000;

/** The lines of a log of any length: those that are shown are read, and others forgotten. */
export class FollowedLog {
  readonly path: string;
  /** Its lines; null: nothing has arrived yet. */
  readonly total = signal<number | null>(null);
  /** Changes with what is known of its lines. */
  readonly edition = signal(0);
  readonly problem = signal<Problem | null>(null);
  /** Where it says what went wrong, if that was asked for. */
  failure: LogLines['failure'] = null;
  size = 0;
  readonly #lines = new Map<number, string>();
  /** By their numbers from 1; others have not arrived, or were not saved. */
  readonly lines: ReadonlyMap<number, string> = this.#lines;
  #isComplete = true;
  #isBusy = false;
  /** More may have come since the reading that is under way began. */
  #isStale = false;
  #wanted: readonly [number, number] | null = null;

  constructor(path: string) {
    this.path = path;
  }

  /** Reads a place; in a saved page, all that was kept. */
  async open(place: LogPlace): Promise<void> {
    const kept = saved?.logs[this.path];
    if (saved === null) await this.#read(place);
    else if (kept !== undefined) {
      for (const { first, lines } of kept.parts)
        for (const [index, line] of lines.entries()) this.#lines.set(first + index, line);
      this.failure = place === 'failure' ? kept.failure : null;
      [this.size, this.total.value] = [kept.size, kept.total];
    } else this.total.value = 0;
  }

  /** Reads the lines that are shown and missing. */
  want(first: number, last: number): void {
    this.#wanted = [first, last];
    if (saved === null && !this.#isBusy) void this.#fill();
  }

  /** Reads what has come since. */
  async follow(): Promise<void> {
    if (saved !== null) return;
    this.#isStale = this.#isBusy || this.total.value === null;
    if (this.#isStale || this.total.value === null) return;
    await this.#read(Math.max(1, this.total.value + (this.#isComplete ? 1 : 0)));
  }

  async #fill(): Promise<void> {
    for (;;) {
      const missing = this.#missing();
      if (missing === null || this.problem.value !== null) return;
      // In whole pieces, so that a log that is scrolled upwards is not read again for each line.
      await this.#read(missing - ((missing - 1) % atOnce));
      // The file became shorter meanwhile.
      if (!this.#lines.has(missing)) return;
    }
  }

  /** The first of the shown lines that is missing. */
  #missing(): number | null {
    if (this.#wanted === null) return null;
    const last = Math.min(this.#wanted[1], this.total.value ?? 0);
    for (let line = Math.max(1, this.#wanted[0]); line <= last; line += 1)
      if (!this.#lines.has(line)) return line;
    return null;
  }

  async #read(place: LogPlace): Promise<void> {
    this.#isBusy = true;
    try {
      this.#take(await readLines(this.path, place, atOnce));
      this.problem.value = null;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.problem.value = error;
    } finally {
      this.#isBusy = false;
    }
    if (this.#isStale && this.problem.value === null) await this.follow();
  }

  #take({ first, lines, total, complete, size, failure }: LogLines): void {
    // It was written anew.
    if (total < (this.total.value ?? 0)) this.#lines.clear();
    const hasNews = lines.some((line, index) => this.#lines.get(first + index) !== line);
    for (const [index, line] of lines.entries()) this.#lines.set(first + index, line);
    if (failure !== null) this.failure = failure;
    [this.#isComplete, this.size, this.total.value] = [complete, size, total];
    this.#forget();
    if (hasNews) this.edition.value += 1;
  }

  #forget(): void {
    if (this.#lines.size <= mostKept || this.#wanted === null) return;
    const [first, last] = this.#wanted;
    for (const line of this.#lines.keys())
      if (line < first - distance || line > last + distance) this.#lines.delete(line);
  }
}
