import { Readable } from 'node:stream';
import type { Capture } from './capture.ts';
import { streamOf, type OutputPipe, type Source } from '../starting/pipe-pool.ts';

/**
 * One output of a process, copied to its capture. A stream is created only once output arrives: a
 * program that ends at once has its pipe read in one go.
 */
export class Output {
  #pipe: OutputPipe | null = null;
  #stream: Readable | null = null;
  readonly capture: Capture;

  constructor(source: Source | null, capture: Capture) {
    this.capture = capture;
    if (source instanceof Readable) this.#follow(source);
    else this.#pipe = source;
  }

  /** Reads the present output; true: none has arrived so far, and a process can still write. */
  listen(): boolean {
    if (this.#pipe === null) return false;
    let isSilent = true;
    const isOver = this.#pipe.drain((chunk) => {
      isSilent = false;
      this.capture.take(chunk);
    });
    if (isOver) this.#pipe = null;
    else if (!isSilent) this.#flow();
    return isSilent && !isOver;
  }

  /**
   * Reads the rest after the program's end. Returns the stream that another process holds open;
   * null: the output is complete.
   */
  end(): Readable | null {
    this.listen();
    this.#flow();
    return this.#stream;
  }

  #flow(): void {
    if (this.#pipe !== null) this.#follow(streamOf(this.#pipe));
    this.#pipe = null;
  }

  #follow(stream: Readable): void {
    this.#stream = stream;
    stream.on('error', () => {});
    stream.on('data', (chunk: Buffer) => this.capture.take(chunk));
  }
}
