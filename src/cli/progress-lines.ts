import { rowsOf } from './columns.ts';
import { line, seconds } from './format.ts';
import { LiveBlock } from './live-block.ts';
import { LiveKeys, type Keyboard } from './live-keys.ts';
import type { Colours, Room, Terminal } from './terminal.ts';

/** A display of progress. */
export interface ProgressView {
  /** Prints one line of the program itself. */
  say(text: string): void;
  /**
   * Keeps the printed lines, removes the block, and waits for an open question. Safe to call again.
   */
  close(): Promise<void>;
}

/** What is shown below the lines on a terminal: a block of lines, and keys that act. */
interface LiveView {
  readonly lines: (room: Room) => string[];
  readonly keys: Keyboard;
}

/**
 * Prints one timed line per event, and on a terminal a live view below them (null: none). `quiet`:
 * keeps standard output free for a document.
 */
export class ProgressLines implements ProgressView {
  readonly colours: Colours;
  readonly #terminal: Terminal;
  readonly #print: (text: string) => void;
  readonly #block: LiveBlock | null;
  readonly #keys: LiveKeys | null;
  /** The lines that wait for the end of a question; null: none is asked. */
  #waiting: string[] | null = null;
  #recoveries: ReadonlySet<string> = new Set();
  /** The printed problems that still exist. */
  #problems: ReadonlySet<string> = new Set();

  constructor(
    terminal: Terminal,
    { live, quiet }: { readonly live: LiveView | null; readonly quiet: boolean },
  ) {
    this.#terminal = terminal;
    this.#print = quiet ? terminal.complain : terminal.print;
    this.colours = quiet ? terminal.errorColours : terminal.colours;
    const keys = live && new LiveKeys(terminal, this, live.keys);
    this.#keys = keys;
    this.#block = live && new LiveBlock(terminal, () => linesOf(terminal, live, keys));
  }

  say(text: string): void {
    const timed = `${this.colours.dim(seconds(this.#terminal.now()))} ${text}\n`;
    if (this.#waiting !== null) {
      this.#waiting.push(timed);
      return;
    }
    this.#block?.erase();
    this.#print(timed);
    this.#block?.changed();
  }

  /** Removes the block and holds new lines back while a question is asked in their place. */
  async aside(ask: () => Promise<void>): Promise<void> {
    this.#waiting = [];
    this.#block?.hold();
    try {
      await ask();
    } finally {
      for (const text of this.#waiting) this.#print(text);
      this.#waiting = null;
      this.#block?.resume();
    }
  }

  /** Prints the notes of a controller at its start; a problem among them is not printed again. */
  notes(notes: readonly string[]): void {
    for (const note of notes) this.say(this.colours.yellow(line(note)));
    this.#problems = new Set(notes);
  }

  /** Prints the new problems. */
  problems(problems: readonly string[]): void {
    for (const problem of problems)
      if (!this.#problems.has(problem)) this.say(this.colours.red(line(problem)));
    this.#problems = new Set(problems);
  }

  /** Prints the new ones of what works again. */
  recoveries(recoveries: readonly string[]): void {
    for (const recovery of recoveries)
      if (!this.#recoveries.has(recovery)) this.say(this.colours.green(line(recovery)));
    this.#recoveries = new Set(recoveries);
  }

  changed(): void {
    this.#block?.changed();
  }

  /** Keeps the lines, removes the block, and waits for an open question. Safe to call again. */
  async close(): Promise<void> {
    this.#block?.close();
    await this.#keys?.close();
  }
}

/** The block, and below it what the keys show. Together they fit on the screen. */
function linesOf(terminal: Terminal, live: LiveView, keys: LiveKeys | null): string[] {
  const below = keys?.lines() ?? [];
  const columns = terminal.columns();
  const taken = below.reduce((sum, each) => sum + rowsOf(each, columns), 0);
  return [...live.lines({ columns, rows: Math.max(3, terminal.rows() - 2 - taken) }), ...below];
}
