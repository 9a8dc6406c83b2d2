import xterm from '@xterm/headless';

/** What a terminal shows of the bytes written to it. */
export class Screen {
  readonly #terminal: xterm.Terminal;

  constructor(columns: number, rows = 24) {
    this.#terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  }

  /** A pipe sends line feeds where a terminal's driver sends carriage returns with them. */
  write(text: string): Promise<void> {
    return new Promise((done) => this.#terminal.write(text.replaceAll(/\r?\n/g, '\r\n'), done));
  }

  resize(columns: number): void {
    this.#terminal.resize(columns, this.#terminal.rows);
  }

  /** The lines with the history above the screen, up to the last that is not empty. */
  lines(): string[] {
    const { active } = this.#terminal.buffer;
    const lines = Array.from({ length: active.length }, (_, index) =>
      (active.getLine(index)?.translateToString(true) ?? '').trimEnd(),
    );
    return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
  }
}
