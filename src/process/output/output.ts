import { Readable } from 'node:stream';
import type { Capture } from './capture.ts';
import type { OutputPipe } from './pipe-pool.ts';

/** Where the output of a process comes out. */
export type Source = OutputPipe | Readable;

/**
 * One output of a process on its way to where it is kept. A stream is made for it once something comes: what a program says
 * that ends at once is taken from its pipe in one go.
 */
export class Output {
  #pipe: OutputPipe | null = null;
  #stream: Readable | null = null;
  readonly #capture: Capture;

  constructor(source: Source | null, capture: Capture) {
    this.#capture = capture;
    if (source instanceof Readable) this.#follow(source);
    else this.#pipe = source;
  }

  /** Takes what is there by now; true: nothing has come so far, and somebody could still say something. */
  listen(): boolean {
    if (this.#pipe === null) return false;
    let isSilent = true;
    const isOver = this.#pipe.drain((chunk) => {
      isSilent = false;
      this.#capture.take(chunk);
    });
    if (isOver) this.#pipe = null;
    else if (!isSilent) this.#flow();
    return isSilent && !isOver;
  }

  /** Takes what is there at the end of the program. Returns the stream that somebody holds open; null: that was all. */
  end(): Readable | null {
    this.listen();
    this.#flow();
    return this.#stream;
  }

  #flow(): void {
    if (this.#pipe !== null) this.#follow(this.#pipe.flow());
    this.#pipe = null;
  }

  #follow(stream: Readable): void {
    this.#stream = stream;
    stream.on('error', () => {});
    stream.on('data', (chunk: Buffer) => this.#capture.take(chunk));
  }

  close(): void {
    this.#capture.close();
  }

  tail(): string {
    return this.#capture.tail();
  }

  text(): string {
    return this.#capture.text();
  }
}
