import picocolors from 'picocolors';
import { wrap } from '../../src/cli/columns.ts';
import type { Terminal } from '../../src/cli/terminal.ts';

/** A terminal that keeps what is written to it, and whose signals and clock ticks the test gives. */
export class FakeTerminal implements Terminal {
  out = '';
  err = '';
  readonly replaced: string[] = [];
  interactive = false;
  piped = (): boolean => false;
  input = '';
  width = 100;
  height = 24;
  gone = false;
  readonly exits: number[] = [];
  colours = picocolors.createColors(false);
  readonly errorColours = this.colours;
  readonly #signals = new Set<() => void>();
  readonly #timers = new Set<() => void>();
  readonly #keys = new Set<(key: string) => void>();
  readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  columns = (): number => this.width;
  rows = (): number => this.height;
  write = (text: string): void => void (this.out += text);
  print = (text: string): void => this.write(this.interactive ? wrap(text, this.width) : text);
  complain = (text: string): void => void (this.err += this.interactive ? wrap(text, this.width) : text);
  copyable = (text: string): string => text;
  replace = (line: string): void => void (this.interactive && this.replaced.push(line));
  closed = (): boolean => this.gone;
  readInput = (): Promise<string> => Promise.resolve(this.input);
  exit = (code: number): void => void this.exits.push(code);

  every = (_milliseconds: number, act: () => void): (() => void) => {
    this.#timers.add(act);
    return () => this.#timers.delete(act);
  };

  onSignal = (act: () => void): (() => void) => {
    this.#signals.add(act);
    return () => this.#signals.delete(act);
  };

  onKey = (act: (key: string) => void): (() => void) => {
    this.#keys.add(act);
    return () => this.#keys.delete(act);
  };

  get listens(): boolean {
    return this.#keys.size > 0;
  }

  press(key: string): void {
    for (const act of this.#keys) act(key);
  }

  signal(): void {
    for (const act of this.#signals) act();
  }

  tick(): void {
    for (const act of this.#timers) act();
  }

  clear(): void {
    this.out = '';
    this.err = '';
  }
}
