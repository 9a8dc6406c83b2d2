import { rowsOf } from './columns.ts';
import type { Terminal } from './terminal.ts';

/** Milliseconds between two redraws. */
const frame = 100;

/**
 * Lines at the bottom of the screen, redrawn in place: at most ten times a second, and once a
 * second for their clocks.
 */
export class LiveBlock {
  readonly #terminal: Terminal;
  readonly #lines: () => readonly string[];
  readonly #forget: () => void;
  /** The lines on the screen, without line ends. */
  #shown: readonly string[] = [];
  #drawnAt = 0;
  #stale = true;
  #held = false;
  #closed = false;

  constructor(terminal: Terminal, lines: () => readonly string[]) {
    this.#terminal = terminal;
    this.#lines = lines;
    this.#forget = terminal.every(frame, () => this.#tick());
  }

  /** Marks the lines as changed. */
  changed(): void {
    this.#stale = true;
  }

  #tick(): void {
    const age = this.#terminal.now() - this.#drawnAt;
    if (!this.#closed && !this.#held && (this.#stale || age >= 1_000)) this.#draw();
  }

  #draw(): void {
    const lines = this.#lines();
    this.#drawnAt = this.#terminal.now();
    this.#stale = false;
    if (this.#shown.length > 0 && lines.join('\n') === this.#shown.join('\n')) return;
    this.erase();
    this.#terminal.write(`${lines.join('\n')}\n`);
    this.#shown = lines;
  }

  /** Makes room for a line above; the next redraw restores the block. */
  erase(): void {
    // A terminal that became narrower has wrapped the lines that were cut for its earlier width.
    const height = this.#shown.reduce((sum, line) => sum + rowsOf(line, this.#terminal.columns()), 0);
    if (height > 0) this.#terminal.write(`\u001b[${String(height)}A\r\u001b[0J`);
    this.#shown = [];
  }

  /** Removes the lines until `resume`, so that a question can be asked in their place. */
  hold(): void {
    this.#held = true;
    this.erase();
  }

  resume(): void {
    this.#held = false;
    this.#stale = true;
  }

  /** Removes the lines. Safe to call again. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#forget();
    this.erase();
  }
}
