import type { Place } from '../kernel/diagnostic.ts';

/** A named text that converts each offset to the line and column that an editor shows. */
export class Source {
  readonly file: string;
  readonly text: string;
  /** The number of the text's first line: front matter does not begin on line 1. */
  readonly #firstLine: number;
  /** Where each line begins; computed on first use, because most texts have no errors. */
  #starts: number[] | null = null;

  constructor(file: string, text: string, firstLine = 1) {
    this.file = file;
    this.text = text;
    this.#firstLine = firstLine;
  }

  /** The part of [start, end) on the line of `start`, at least one character. */
  place(start: number, end: number): Place {
    const offset = Math.min(start, this.text.length);
    const line = this.#lineAt(offset);
    const lineStart = this.#lineStarts()[line] ?? 0;
    const newline = this.text.indexOf('\n', lineStart);
    const lineEnd = newline === -1 ? this.text.length : newline;
    return {
      file: this.file,
      line: line + this.#firstLine,
      column: offset - lineStart + 1,
      length: Math.max(1, Math.min(end, lineEnd) - offset),
      text: this.text.slice(lineStart, lineEnd),
    };
  }

  /** The index of the line with this offset, by binary search. */
  #lineAt(offset: number): number {
    const starts = this.#lineStarts();
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #lineStarts(): readonly number[] {
    if (this.#starts === null) {
      this.#starts = [0];
      for (let at = this.text.indexOf('\n'); at !== -1; at = this.text.indexOf('\n', at + 1))
        this.#starts.push(at + 1);
    }
    return this.#starts;
  }
}
