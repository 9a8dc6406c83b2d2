import { crc32 } from 'node:zlib';
import { MailroomError, messageOf } from '../kernel/errors.ts';
import { isJsonObject } from '../kernel/json.ts';
import { decode, encode, longText } from './codec.ts';
import type { TextStore } from './codec.ts';

export const newline = 10;
/** Eight hex digits and a space. */
const header = 9;

/**
 * A line of a journal: the CRC-32 of the JSON's bytes as eight hex digits, a space, the JSON, a
 * newline.
 */
export function formatLine(json: string): string {
  return `${checksum(json)} ${json}\n`;
}

function checksum(data: string | Uint8Array): string {
  return crc32(data).toString(16).padStart(8, '0');
}

/** The JSON of a line without its newline; null when the line is damaged or incomplete. */
export function openLine(line: Buffer): string | null {
  if (line.length < header || line.toString('latin1', 0, header) !== `${checksum(line.subarray(header))} `) {
    return null;
  }
  return line.toString('utf8', header);
}

/** One event of a journal and its number, counted from 1. */
export interface JournalRecord<Event> {
  readonly n: number;
  readonly event: Event;
}

interface Segment<Event> {
  /** The records after `after`. */
  readonly records: readonly JournalRecord<Event>[];
  /** The number of the next record. */
  readonly next: number;
  /** The size of the whole lines, in bytes. */
  readonly bytes: number;
  /** What is wrong with the last line, in words; null: nothing. */
  readonly torn: string | null;
}

interface SegmentOptions {
  /** The file's name, for error messages. */
  readonly file: string;
  /** The number of the segment's first record. */
  readonly first: number;
  /** Records up to this number are checked and left out. */
  readonly after: number;
  readonly texts: TextStore;
}

/**
 * Reads a segment up to its last whole line. Throws `E_JOURNAL` for a damaged line that is not the
 * last, and for a record out of sequence.
 */
export function readSegment<Event>(bytes: Buffer, options: SegmentOptions): Segment<Event> {
  const records: JournalRecord<Event>[] = [];
  let next = options.first;
  let at = 0;
  for (let line = 1; at < bytes.length; line += 1) {
    const end = bytes.indexOf(newline, at);
    const json = end < 0 ? null : openLine(bytes.subarray(at, end));
    if (json === null) {
      if (end >= 0 && end < bytes.length - 1)
        throw damaged(options.file, line, 'the line does not match its checksum');
      if (hidesRecord(bytes, at)) throw damaged(options.file, line, 'two records run into one line');
      return { records, next, bytes: at, torn: tornText(options.file, line, bytes.length - at) };
    }
    if (next <= options.after && isRecord(json, next)) {
      next += 1;
      at = end + 1;
      continue;
    }
    const record = parseRecord<Event>(json, options, line);
    if (record === null) throw damaged(options.file, line, 'the line is complete, but not a record');
    if (record.n !== next)
      throw damaged(options.file, line, `record ${next} should be here, not ${record.n}`);
    if (next > options.after) records.push(record);
    next += 1;
    at = end + 1;
  }
  return { records, next, bytes: at, torn: null };
}

/** The JSON of a line; an event that `encode` changed is under `encoded`. */
type LineValue<Event> = JournalRecord<Event> | { readonly n: number; readonly encoded: unknown };

/** The line of one event. Long strings in it go to `texts` first. */
export function formatRecord(n: number, event: unknown, texts: TextStore): string {
  const json = JSON.stringify(event);
  // In a string the quote would be escaped: this finds keys, and strings in a list.
  const plain = json.length <= longText && !json.includes('{"$') && !json.includes(',"$');
  if (plain) return formatLine(`{"n":${n},"event":${json}}`);
  return formatLine(`{"n":${n},"encoded":${JSON.stringify(encode(event, texts))}}`);
}

/**
 * Whether a line with a valid checksum is the record of that number, by its beginning: a skipped
 * record need not be parsed.
 */
function isRecord(json: string, n: number): boolean {
  const start = `{"n":${n},"`;
  return json.startsWith(`${start}event":`) || json.startsWith(`${start}encoded":`);
}

function parseRecord<Event>(
  json: string,
  { file, texts }: SegmentOptions,
  line: number,
): JournalRecord<Event> | null {
  // The checksum is valid, so `formatRecord` wrote this, unless one of our files is in the wrong
  // place, or another program wrote the line.
  try {
    const value: unknown = JSON.parse(json);
    if (!isJsonObject(value)) return null;
    const read = value as unknown as LineValue<Event>;
    if (!('encoded' in read)) return 'event' in read ? read : null;
    return { n: read.n, event: decode(read.encoded, texts) as Event };
  } catch (error) {
    if (error instanceof MailroomError && error.hint !== null) throw error;
    throw damaged(file, line, messageOf(error), error);
  }
}

/**
 * The start of a record inside a line. No string can look like it: quotes are escaped in strings.
 */
const recordStart = Buffer.from(' {"n":');

/**
 * True when another record begins inside the damaged last line: then a newline was damaged, and
 * truncating the line would lose a confirmed record. A torn write never looks like that.
 */
function hidesRecord(bytes: Buffer, at: number): boolean {
  return bytes.indexOf(recordStart, at + header) >= 0;
}

function tornText(file: string, line: number, bytes: number): string {
  return `${file}:${line}: the last line was not whole (${bytes} bytes)`;
}

/** A line of a journal that cannot be read: `E_JOURNAL`, with what to do. */
export function damaged(file: string, line: number, what: string, cause?: unknown): MailroomError {
  return new MailroomError('E_JOURNAL', `${file}:${line}: ${what}`, restoreHint(file), { cause });
}

/** How to repair a damaged journal, of the mail or of one run, by a path in it. */
export function restoreHint(path: string): string {
  const run = /^\.mailroom\/runs\/[^/]+\//.exec(path)?.[0];
  return run === undefined
    ? 'restore .mailroom/ from a backup, or move it away to begin anew with the mail that waits in the inboxes'
    : `restore ${run} from a backup, or move it away: no other run needs it`;
}
