import { line, seconds } from './format.ts';
import { LiveBlock } from './live-block.ts';
import type { Colours, Terminal } from './terminal.ts';

/**
 * Prints what happens, a line with the time each, and on a terminal a block below them that is redrawn in place. `block`: the
 * lines of that block; null: there is none. `quiet`: standard output stays free for a document.
 */
export class ProgressLines {
  readonly colours: Colours;
  readonly #terminal: Terminal;
  readonly #print: (text: string) => void;
  readonly #block: LiveBlock | null;
  /** The problems that were printed and have not gone since. */
  #problems: ReadonlySet<string> = new Set();

  constructor(
    terminal: Terminal,
    { block, quiet }: { readonly block: (() => string[]) | null; readonly quiet: boolean },
  ) {
    this.#terminal = terminal;
    this.#print = quiet ? terminal.complain : terminal.tell;
    this.colours = quiet ? terminal.errorColours : terminal.colours;
    this.#block = block && new LiveBlock(terminal, block);
  }

  say(text: string): void {
    this.#block?.erase();
    this.#print(`${this.colours.dim(seconds(this.#terminal.now()))} ${text}\n`);
    this.#block?.changed();
  }

  /** Prints what a controller has to say at its start; a problem among it is not printed again. */
  notes(notes: readonly string[]): void {
    for (const note of notes) this.say(this.colours.yellow(line(note)));
    this.#problems = new Set(notes);
  }

  /** Prints the problems that are new. */
  problems(problems: readonly string[]): void {
    for (const problem of problems)
      if (!this.#problems.has(problem)) this.say(this.colours.red(line(problem)));
    this.#problems = new Set(problems);
  }

  changed(): void {
    this.#block?.changed();
  }

  /** Leaves the lines and takes the block away. May be called again. */
  close(): void {
    this.#block?.close();
  }
}
