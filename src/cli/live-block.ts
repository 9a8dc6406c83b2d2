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
  #height = 0;
  #shown = '';
  #drawnAt = 0;
  #stale = true;
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
    if (!this.#closed && (this.#stale || age >= 1_000)) this.#draw();
  }

  #draw(): void {
    const lines = this.#lines();
    this.#drawnAt = this.#terminal.now();
    this.#stale = false;
    const text = lines.join('\n');
    if (this.#height > 0 && text === this.#shown) return;
    this.erase();
    this.#terminal.write(`${text}\n`);
    this.#shown = text;
    this.#height = lines.length;
  }

  /** Makes room for a line above; the next redraw restores the block. */
  erase(): void {
    if (this.#height > 0) this.#terminal.write(`\u001b[${String(this.#height)}A\r\u001b[0J`);
    this.#height = 0;
  }

  /** Removes the lines. Safe to call again. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#forget();
    this.erase();
  }
}
