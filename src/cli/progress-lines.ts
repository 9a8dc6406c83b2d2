import { line, seconds } from './format.ts';
import { LiveBlock } from './live-block.ts';
import type { Colours, Terminal } from './terminal.ts';

/**
 * Prints one timed line per event, and on a terminal a block below them that is redrawn in place.
 * `block`: the lines of that block; null: none. `quiet`: keeps standard output free for a document.
 */
export class ProgressLines {
  readonly colours: Colours;
  readonly #terminal: Terminal;
  readonly #print: (text: string) => void;
  readonly #block: LiveBlock | null;
  /** The printed problems that still exist. */
  #problems: ReadonlySet<string> = new Set();

  constructor(
    terminal: Terminal,
    { block, quiet }: { readonly block: (() => string[]) | null; readonly quiet: boolean },
  ) {
    this.#terminal = terminal;
    this.#print = quiet ? terminal.complain : terminal.print;
    this.colours = quiet ? terminal.errorColours : terminal.colours;
    this.#block = block && new LiveBlock(terminal, block);
  }

  say(text: string): void {
    this.#block?.erase();
    this.#print(`${this.colours.dim(seconds(this.#terminal.now()))} ${text}\n`);
    this.#block?.changed();
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

  changed(): void {
    this.#block?.changed();
  }

  /** Keeps the lines and removes the block. Safe to call again. */
  close(): void {
    this.#block?.close();
  }
}
