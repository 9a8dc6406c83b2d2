import { expect, it } from 'vitest';
import { Settling } from '../../../src/mail/mailboxes/settling.ts';
import type { Writing } from '../../../src/disk/writers.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';

it.each([
  ['longer', 'Two words\n'],
  ['as long', 'Other\n'],
])('waits again where a file is written once more, %s', (_, text) => {
  let now = Date.UTC(2026, 0, 1);
  const disk = new MemoryDisk(() => now);
  const settling = new Settling(disk);
  const judge = () => settling.judge(settling.look('a.md', 'a.md', now), 'a.md', 'none');
  disk.plant('a.md', 'Words\n');
  expect(judge()).toMatchObject({ is: 'wait', until: now + 10 });
  now += 9;
  disk.plant('a.md', text);
  expect(judge()).toMatchObject({ is: 'wait', until: now + 10 });
  now += 9;
  expect(judge()).toMatchObject({ is: 'wait' });
  now += 1;
  expect(judge()).toEqual({ is: 'complete' });
});

const start = Date.UTC(2026, 0, 1);

/** A file and what becomes of it, by milliseconds since its first look. */
function bed(text: string, written: Writing) {
  let now = start;
  const disk = new MemoryDisk(() => now);
  const settling = new Settling(disk);
  disk.plant('a.md', text);
  settling.look('a.md', 'a.md', now);
  return (at: number, writing = written) => {
    now = start + at;
    const glance = settling.look('a.md', 'a.md', now);
    return settling.judge(glance, 'a.md', glance.isQuiet ? writing : undefined);
  };
}

it.each(['', '---\ntype: task\n', 'Words\n'])('waits for a writer, however long it takes: %j', (text) => {
  const at = bed(text, { by: 'process 1 (sh)' });
  expect(at(10)).toEqual({ is: 'wait', until: start + 110 });
  expect(at(500)).toEqual({ is: 'wait', until: start + 1_000 });
  expect(at(3_600_000)).toEqual({ is: 'wait', until: start + 3_601_000 });
  expect(at(3_600_001, 'none')).toMatchObject({ is: text === 'Words\n' ? 'complete' : 'refuse' });
});

it('takes a file whose writers are not known once it has been still for two seconds', () => {
  const at = bed('Words\n', 'unknown');
  expect(at(5)).toEqual({ is: 'wait', until: start + 10 });
  expect(at(10)).toEqual({ is: 'wait', until: start + 2_000 });
  expect(at(1_999)).toEqual({ is: 'wait', until: start + 2_000 });
  expect(at(2_000)).toEqual({ is: 'complete' });
});

it('gives the unknown writer of an empty file a minute', () => {
  const at = bed('', 'unknown');
  expect(at(59_999)).toEqual({ is: 'wait', until: start + 60_000 });
  expect(at(60_000)).toEqual({ is: 'refuse', problem: 'it is empty' });
});
