import { TurnFolders } from '../../../src/mail/mailboxes/turn-folders.ts';
import { expect, it } from 'vitest';
import { MemoryDisk } from '../../support/memory-disk.ts';

it('a turn hands over no more than 64 MiB', () => {
  const disk = new MemoryDisk();
  const folders = new TurnFolders(disk);
  folders.open({ turn: 't1', attempt: 1, round: 0 }, { prompt: '', messages: [], keepStaging: false });
  const largest = Buffer.alloc(4 * 1024 * 1024, 'x');
  for (let number = 10; number <= 27; number += 1)
    disk.plant(`.mailroom/turns/t1/1/outbox/${number}.md`, largest);
  const staged = folders.collect('t1', 1, 0);
  expect(staged.map(({ content }) => content.ok)).toEqual([...Array<boolean>(16).fill(true), false, false]);
  const problem = 'all files together have more than 64 MiB';
  expect(staged.slice(-2).map(({ content }) => content)).toEqual([
    { ok: false, problem },
    { ok: false, problem },
  ]);
});
