import { randomBytes } from 'node:crypto';
import { MailroomError } from '../kernel/errors.ts';
import { join, parentOf, type Disk } from './disk.ts';

/**
 * File names are bytes; JavaScript's are strings. A byte outside valid UTF-8 becomes the lone
 * surrogate U+DC00 + byte, as in Python (PEP 383), and back.
 */
export function nameFromBytes(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (!text.includes('\ufffd') || Buffer.from(text).equals(bytes)) return text;
  let name = '';
  for (let at = 0; at < bytes.length;) {
    const length = validLength(bytes, at);
    name +=
      length === 0
        ? String.fromCharCode(0xdc00 + bytes.readUInt8(at))
        : bytes.toString('utf8', at, at + length);
    at += Math.max(length, 1);
  }
  return name;
}

/** How many bytes the character at `at` has; 0 when it is invalid. */
function validLength(bytes: Buffer, at: number): number {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length += 1) {
    const character = bytes.subarray(at, at + length);
    const text = character.toString('utf8');
    if (!text.includes('\ufffd') || Buffer.from(text).equals(character)) return length;
  }
  return 0;
}

/**
 * A name or path for a system call: the string itself, or its bytes where it encodes invalid UTF-8.
 */
export function pathForSystem(path: string): string | Buffer {
  // The halves of a valid pair match too, and come out unchanged; nearly every path has none, so
  // this check is the fast path.
  if (!/[\ud800-\udfff]/.test(path)) return path;
  const parts = path.split(/([\udc80-\udcff])/u).map((part) => {
    const code = part.length === 1 ? part.charCodeAt(0) : 0;
    return code >= 0xdc80 && code <= 0xdcff ? Buffer.of(code - 0xdc00) : Buffer.from(part);
  });
  return Buffer.concat(parts);
}

/**
 * Moves a file of any kind by one rename to `to`, or to the first free one of `<stem>-2.md`,
 * `<stem>-3.md`, … Returns its path then; null: it does not exist. Throws `E_DISK`.
 */
export function moveFree(disk: Disk, from: string, to: string): string | null {
  for (const free of freeNames(to.slice(parentOf(to).length + 1))) {
    const path = join(parentOf(to), free);
    const moved = disk.rename(from, path, { replace: false });
    if (moved !== 'exists') return moved === 'moved' ? path : null;
  }
  throw new MailroomError('E_INTERNAL', `no name was free for ${to}`);
}

/** How many names in a row are tried: somebody may have taken any number of them. */
const mostTried = 20;
/** The longest name that most file systems have, in bytes. */
const longest = 255;

function* freeNames(name: string): Generator<string> {
  yield name;
  const dot = name.lastIndexOf('.');
  const [stem, ending] =
    dot > 0 && name.length - dot < 20 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  for (let number = 2; number < mostTried; number += 1) yield within(stem, `-${number}${ending}`);
  for (;;) yield within(stem, `-${randomBytes(8).toString('hex')}${ending}`);
}

/** The stem is cut where the whole name would be too long. */
function within(stem: string, rest: string): string {
  let kept = stem;
  while (Buffer.byteLength(kept + rest) > longest) kept = kept.slice(0, -8);
  return kept + rest;
}
