/** The largest part of a file that is sent at once, and what is read around it, in bytes. */
const largestPart = 4 * 1024 * 1024;
const margin = 64 * 1024;

/** A part of some text without secrets, and where the next one begins; null: nothing follows. */
interface TextPart {
  readonly text: string;
  readonly next: number | null;
}

type Read = (from: number, most: number) => Buffer | null;
type Hide = (text: string) => string;

/**
 * The text of a file from byte `after` on, whole lines where they are not longer than `most` bytes.
 * Null: there is no such file. `split`: a secret lies across the place, which no part begins at.
 */
export function partOf(read: Read, after: number, mask: Hide, most = largestPart): TextPart | 'split' | null {
  const start = Math.max(0, after - margin);
  const bytes = read(start, after - start + most + margin);
  if (bytes === null) return null;
  const here = bytes.subarray(after - start);
  if (isAcross(bytes, after - start, mask)) return 'split';
  const part = (end: number, next: number | null): TextPart => ({
    text: mask(here.subarray(0, end).toString('utf8')),
    next,
  });
  if (here.length <= most) return part(here.length, null);
  const end = cutsOf(here, most).find((cut) => !isAcross(here, cut, mask));
  if (end !== undefined) return part(end, after + end);
  // A secret of many lines may end with the file.
  return here.length < most + margin ? part(here.length, null) : 'split';
}

/** Where a part may end: behind whole lines, the longest first, or a character; else later. */
function cutsOf(bytes: Buffer, most: number): number[] {
  const cuts: number[] = [];
  for (let at = bytes.lastIndexOf(0x0a, most - 1); at > -1 && cuts.length < 100;) {
    cuts.push(at + 1);
    at = at === 0 ? -1 : bytes.lastIndexOf(0x0a, at - 1);
  }
  if (cuts.length === 0) cuts.push(characterBefore(bytes, most));
  for (let at = bytes.indexOf(0x0a, most); at !== -1 && cuts.length < 200; at = bytes.indexOf(0x0a, at + 1))
    cuts.push(at + 1);
  return cuts;
}

/** Whether a secret lies on both sides of an offset. */
function isAcross(bytes: Buffer, at: number, mask: Hide): boolean {
  const around = bytes.subarray(Math.max(0, at - margin), at + margin).toString('utf8');
  const before = bytes.subarray(Math.max(0, at - margin), at).toString('utf8');
  const behind = bytes.subarray(at, at + margin).toString('utf8');
  return mask(before) + mask(behind) !== mask(around);
}

/** The end of the last whole character of at most so many bytes. */
function characterBefore(bytes: Buffer, most: number): number {
  let end = most;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end -= 1;
  return end;
}
