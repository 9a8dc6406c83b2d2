import { failureIn } from '../../kernel/failure-marks.ts';
import { withoutColours } from '../../kernel/terminal-colours.ts';
import type { LogHits, LogLines } from '../../documents/logs.ts';
import type { ApiServices } from '../../project/api.ts';
import { breath, eachLine, type LineIndex, type LogSource } from './log-rows.ts';

/** The most lines, and bytes, of one answer. */
export const mostLines = 1_000;
const mostBytes = 1024 * 1024;
const pieceBytes = 1024 * 1024;
/** Secrets are looked for so far around what is sent, in bytes. */
const margin = 64 * 1024;
/** How much of the end of a log is searched for what went wrong, in bytes. */
const failureBytes = 8 * 1024 * 1024;
const mostHits = 1_000;

/** What hides secrets. */
type Hiding = Pick<ApiServices, 'secretsIn' | 'masker'>;

/** The place of a line in the file. */
type Span = readonly [from: number, to: number];

interface Piece {
  readonly bytes: Buffer;
  /** Its lines. */
  readonly count: number;
  readonly texts: () => string[];
}

/** A log of any length: what is shown of it is read from its parts. */
export class LogReading {
  readonly #source: LogSource;
  readonly #index: LineIndex;
  readonly #api: Hiding;
  /** Where a log of this size says what went wrong: a page asks more than once. */
  #failed: { readonly size: number; readonly failure: LogLines['failure'] } | null = null;

  constructor(source: LogSource, index: LineIndex, api: Hiding) {
    this.#source = source;
    this.#index = index;
    this.#api = api;
  }

  /**
   * At most `most` lines from line `first` on, counted from 1; or the last ones, or those around
   * the failure. Fewer where they have many bytes. Null: the log is gone.
   */
  async lines(
    place: { readonly first: number } | 'end' | 'failure',
    most: number,
    signal: AbortSignal,
  ): Promise<LogLines | null> {
    if (!(await this.#index.look(signal))) return null;
    const { total, complete, size } = this.#index;
    const failure = place === 'failure' ? await this.#failure(signal) : null;
    const last = Math.max(0, total - most);
    let first = last;
    if (failure !== null) first = Math.min(last, Math.max(0, failure.line - 1 - Math.floor(most / 2)));
    else if (typeof place === 'object') first = place.first - 1;
    const spans = this.#spans(first, most);
    return { schema: 1, first: first + 1, lines: this.#texts(spans), total, complete, size, failure };
  }

  /**
   * Where the lines from `first` on lie, counted from 0, and one that is not complete at the end.
   */
  #spans(first: number, most: number): Span[] {
    const spans: Span[] = [];
    let { line, offset } = this.#index.before(first);
    let bytes = 0;
    const isFull = () => spans.length >= most || bytes >= mostBytes;
    while (!isFull() && offset < this.#index.size) {
      const piece = this.#source.read(offset, pieceBytes);
      if (piece === null || piece.length === 0) break;
      const start = offset;
      const read = eachLine(piece, (from, to) => {
        if (isFull()) return false;
        if (line >= first) {
          spans.push([start + from, start + to]);
          bytes += to - from;
        }
        line += 1;
        return true;
      });
      offset += read;
      const isLast = read === 0 || start + piece.length >= this.#index.size;
      if (isLast && !isFull() && read < piece.length && line >= first)
        spans.push([offset, start + piece.length]);
      if (isLast) break;
    }
    return spans;
  }

  /** The texts of lines that follow each other. A secret may lie across any of their borders. */
  #texts(spans: readonly Span[]): string[] {
    const [first, last] = [spans[0], spans.at(-1)];
    if (first === undefined || last === undefined) return [];
    const start = Math.max(0, first[0] - margin);
    const bytes = this.#source.read(start, last[1] + margin - start) ?? Buffer.alloc(0);
    const secrets = this.#api.secretsIn(bytes);
    return spans.map(([from, to]) => textOf(bytes, from - start, to - start, secrets));
  }

  async #failure(signal: AbortSignal): Promise<LogLines['failure']> {
    const { size } = this.#index;
    if (this.#failed?.size === size) return this.#failed.failure;
    const failure = await this.#findFailure(signal);
    if (!signal.aborted) this.#failed = { size, failure };
    return failure;
  }

  async #findFailure(signal: AbortSignal): Promise<LogLines['failure']> {
    const start = this.#index.lastOf(failureBytes);
    let line = start.line;
    let hint: LogLines['failure'] = null;
    for await (const { count, texts } of this.#pieces(start.offset, signal)) {
      const found = failureIn(texts());
      if (found !== null) hint = { line: line + found.line + 1, certain: found.certain };
      if (found?.certain === true) return hint;
      line += count;
    }
    return hint;
  }

  /** The lines that hold these words, in any case and without colours, from line `from` on. */
  async search(text: string, from: number, signal: AbortSignal): Promise<LogHits | null> {
    if (!(await this.#index.look(signal))) return null;
    const wanted = text.toLowerCase();
    const has = (some: string) => wanted !== '' && withoutColours(some).toLowerCase().includes(wanted);
    const start = this.#index.before(from - 1);
    const lines: number[] = [];
    let line = start.line;
    for await (const { count, bytes, texts } of this.#pieces(start.offset, signal)) {
      for (const [index, each] of has(bytes.toString('utf8')) ? texts().entries() : []) {
        const number = line + index + 1;
        if (number < from || !has(each)) continue;
        lines.push(number);
        if (lines.length === mostHits) return { schema: 1, lines, next: number + 1 };
      }
      line += count;
    }
    return { schema: 1, lines, next: null };
  }

  /** All lines from an offset on, piece by piece: their bytes, their number and their texts. */
  async *#pieces(from: number, signal: AbortSignal): AsyncGenerator<Piece> {
    let offset = from;
    while (offset < this.#index.size && !signal.aborted) {
      const bytes = this.#source.read(offset, pieceBytes);
      if (bytes === null || bytes.length === 0) return;
      const ends: number[] = [];
      let read = eachLine(bytes, (_, end) => ends.push(end) > 0);
      // The last line of the log may have no end.
      if (read === 0 || (offset + bytes.length >= this.#index.size && read < bytes.length)) {
        ends.push(bytes.length);
        read = bytes.length;
      }
      const start = offset;
      const spans = () => ends.map((end, index): Span => [start + (ends[index - 1] ?? 0), start + end]);
      yield { bytes, count: ends.length, texts: () => this.#texts(spans()) };
      offset += read;
      await breath();
    }
  }

  /** The whole log without secrets, as it is now, piece by piece. */
  bytes(): Iterator<Buffer> {
    return maskedBytes(this.#source, this.#api.masker());
  }
}

/** A file without secrets, as it is now, piece by piece. */
export function* maskedBytes(source: LogSource, masker: ReturnType<Hiding['masker']>): Generator<Buffer> {
  const size = source.size() ?? 0;
  for (let offset = 0; offset < size;) {
    const piece = source.read(offset, Math.min(pieceBytes, size - offset));
    if (piece === null || piece.length === 0) break;
    offset += piece.length;
    yield masker.push(piece);
  }
  yield masker.flush();
}

/** The text of a line without its end, in which each part of a secret is `***`. */
function textOf(bytes: Buffer, from: number, to: number, secrets: readonly Span[]): string {
  let end = Math.min(to, bytes.length);
  if (bytes[end - 1] === 0x0a && end > from) end -= bytes[end - 2] === 0x0d && end - 1 > from ? 2 : 1;
  const inside = secrets.filter(([start, stop]) => start < end && stop > from);
  if (inside.length === 0) return bytes.toString('utf8', from, end);
  let text = '';
  let at = from;
  for (const [start, stop] of inside) {
    text += `${bytes.toString('utf8', at, Math.max(at, start))}***`;
    at = Math.min(end, stop);
  }
  return text + bytes.toString('utf8', at, end);
}

/** A body that is sent as fast as the client reads it. */
export function streamed(pieces: Iterator<Buffer>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    pull: (stream) => {
      let next = pieces.next();
      while (next.done !== true && next.value.length === 0) next = pieces.next();
      if (next.done === true) stream.close();
      else stream.enqueue(next.value);
    },
  });
}
