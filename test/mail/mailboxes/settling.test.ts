import { expect, it } from 'vitest';
import { Settling } from '../../../src/mail/mailboxes/settling.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';

it.each([
  ['longer', 'Two words\n'],
  ['as long', 'Other\n'],
])('waits again where a file is written once more, %s', (_, text) => {
  let now = Date.UTC(2026, 0, 1);
  const disk = new MemoryDisk(() => now);
  const settling = new Settling(disk);
  const judge = () => settling.judge('a.md', 'a.md', now);
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
