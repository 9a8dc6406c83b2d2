import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RealDisk } from '../../src/store/real-disk.ts';
import { DiskTurnFolders } from '../../src/store/turn-folders.ts';

/*
 * What an agent can make of the folders that it may write, on the real disk and as a user for whom modes count: as root a
 * test says nothing about modes.
 */

let folder: string;
const before = process.cwd();
beforeEach(() => {
  // The folder of our own temporary files shows nothing to other users.
  folder = mkdtempSync('/tmp/mailroom-trees-');
  mkdirSync(join(folder, 'kept'));
  writeFileSync(join(folder, 'kept', 'file'), 'kept');
  chmodSync(folder, 0o777);
  process.chdir(folder);
  if (process.getuid?.() === 0) process.seteuid?.(12_345);
});
afterEach(() => {
  if (process.getuid?.() === 0) process.seteuid?.(0);
  process.chdir(before);
  rmSync(folder, { recursive: true });
});

const odd = Buffer.concat([Buffer.from('outbox/'), Buffer.of(0xe9, 0xff)]);
const made: readonly (readonly [string, () => void])[] = [
  [
    'a tree deeper than any path',
    () => {
      mkdirSync('outbox');
      process.chdir('outbox');
      for (let level = 0; level < 60; level += 1) {
        mkdirSync('d'.repeat(200));
        process.chdir('d'.repeat(200));
      }
      writeFileSync('deep.md', 'x');
      process.chdir(folder);
    },
  ],
  [
    'a folder without any right, with another in it',
    () => {
      mkdirSync('outbox/closed/inner', { recursive: true });
      writeFileSync('outbox/closed/inner/x', 'x');
      chmodSync('outbox/closed/inner', 0);
      chmodSync('outbox/closed', 0);
    },
  ],
  [
    'a staging folder without any right',
    () => {
      mkdirSync('outbox');
      writeFileSync('outbox/x.md', 'x');
      chmodSync('outbox', 0);
    },
  ],
  [
    'names that are no UTF-8, in folders that nobody may write',
    () => {
      mkdirSync(odd, { recursive: true });
      writeFileSync(Buffer.concat([odd, Buffer.from('/'), Buffer.of(0xff)]), 'x');
      chmodSync(odd, 0o500);
      chmodSync('outbox', 0o500);
    },
  ],
  [
    'a link to what is not its own',
    () => {
      mkdirSync('outbox/closed', { recursive: true });
      symlinkSync(join(folder, 'kept'), 'outbox/closed/link');
      chmodSync('outbox/closed', 0);
    },
  ],
];

it.each(made)('removes %s, and nothing else', (_what, make) => {
  make();
  const disk = new RealDisk(folder);
  expect(disk.remove('outbox')).toBe(true);
  expect(disk.list('.mailroom/tmp') ?? []).toEqual([]);
  expect(existsSync(join(folder, 'outbox'))).toBe(false);
  expect(readFileSync(join(folder, 'kept', 'file'), 'utf8')).toBe('kept');
});

it('collects what nobody may read as that, and opens the next attempt', () => {
  const folders = new DiskTurnFolders(new RealDisk(folder));
  const open = () => folders.open('t1', 1, 0, () => 'prompt', [], false);
  const problem = (text: string) => ({ ok: false, problem: text });
  const { outbox } = open();
  writeFileSync(`${outbox}/x.md`, 'x');
  chmodSync(`${outbox}/x.md`, 0);
  expect(folders.collect('t1', 1, 0)).toEqual([
    { name: 'x.md', content: problem('it cannot be read: permission denied') },
  ]);
  chmodSync(outbox, 0);
  expect(folders.collect('t1', 1, 0)).toEqual([
    { name: 'outbox', content: problem('cannot list .mailroom/turns/t1/1/outbox: permission denied') },
  ]);
  open();
  expect(folders.collect('t1', 1, 0)).toEqual([]);
});
