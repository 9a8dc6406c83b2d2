import { expect, it } from 'vitest';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { DiskRecords } from '../../../src/workflow/files/record-files.ts';
import { records as format } from '../../../src/languages/orchestrate/records.ts';
import { workflow } from './samples.ts';

const log = 'records/run-1/logs/events.jsonl';

/** The log of a run that an earlier host has written so far, and what the next one finds. */
function opened(written: string | Buffer): { readonly last: number; readonly left: string } {
  const disk = new MemoryDisk(() => 0);
  disk.write(log, written);
  const ownWorkspace = { workspace: 'workspace', records: 'records' };
  const definition = { ...workflow(), ownWorkspace };
  const run = { run: 'run-1', workspace: '/base/workspace', definition };
  const records = new DiskRecords(disk, () => disk, run, format);
  return { last: records.lastLine(), left: disk.read(log, 10_000_000)?.toString('utf8') ?? '' };
}

const line = (number: number, text: string) => `${JSON.stringify({ event_seq: number, text })}\n`;

it.each([
  ['nothing', '', '', 0],
  ['whole lines', line(1, 'a') + line(2, 'b'), '', 2],
  ['half a line', line(1, 'a'), line(2, 'b').slice(0, 9), 1],
  ['half a character', line(1, 'a'), Buffer.from(line(2, 'é')).subarray(0, -4), 1],
  ['a long line', line(1, 'a') + line(2, 'b'.repeat(200_000)), '', 2],
  ['half of a long line', line(1, 'a') + line(2, 'b'), line(3, 'c'.repeat(200_000)).slice(0, -2), 2],
])('goes on behind the last whole line of a log that ends with %s', (_, whole, torn, last) => {
  const bytes = Buffer.concat([Buffer.from(whole), Buffer.from(torn)]);
  expect(opened(bytes)).toEqual({ last, left: whole });
});
