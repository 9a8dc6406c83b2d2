import {
  chmodSync,
  closeSync,
  linkSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Writers, type Writing } from '../../src/disk/writers.ts';

let folder = '';
let open: number[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailroom-writers-'));
  open = [];
});
afterEach(() => {
  for (const each of open) closeSync(each);
  rmSync(folder, { recursive: true, force: true });
});

/** A file in the folder. */
function file(name = 'a.md', text = 'text\n'): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function hold(path: string, flags: string): void {
  open.push(openSync(path, flags));
}

const here: Writing = {
  by: expect.stringMatching(new RegExp(`^process ${String(process.pid)} \\(.+\\)$`)) as string,
};

it.each(['w', 'a', 'r+', 'wx'])('names the process that has a file open by %s', (flags) => {
  const path = flags === 'wx' ? join(folder, 'new.md') : file();
  hold(path, flags);
  expect(new Writers().of([path])).toEqual([here]);
});

it('does not take a reader for a writer', () => {
  const path = file();
  hold(path, 'r');
  expect(new Writers().of([path])).toEqual(['none']);
});

it('knows a file by all of its names', () => {
  const [path, moved, linked] = [file(), join(folder, 'moved.md'), join(folder, 'linked.md')];
  hold(path, 'a');
  renameSync(path, moved);
  linkSync(moved, linked);
  expect(new Writers().of([moved, linked, file('b.md')])).toEqual([here, here, 'none']);
});

it('sees that a writer has ended, and that one has come', () => {
  const path = file();
  const writers = new Writers();
  expect(writers.of([path])).toEqual(['none']);
  hold(path, 'a');
  expect(writers.of([path])).toEqual([here]);
  expect(writers.of([path])).toEqual([here]);
  closeSync(open.pop()!);
  expect(writers.of([path])).toEqual(['none']);
});

it('is not misled by a number that another file has now', () => {
  const path = file();
  const writers = new Writers();
  hold(path, 'a');
  expect(writers.of([path])).toEqual([here]);
  closeSync(open.pop()!);
  hold(file('other.md'), 'a');
  expect(writers.of([path])).toEqual(['none']);
});

it('does not know who writes files of another user, unless one was moved to its place', (ctx) => {
  if (process.getuid?.() !== 0) return ctx.skip('only root can be another user');
  // One that others may look into, on the way there as well.
  folder = mkdtempSync('/tmp/mailroom-writers-');
  chmodSync(folder, 0o755);
  const [path, moved] = [file(), file('b.md')];
  const earlier = Date.now() / 1000 - 60;
  utimesSync(moved, earlier, earlier);
  process.seteuid!(12_345);
  try {
    expect(new Writers().of([path, moved])).toEqual(['unknown', 'none']);
  } finally {
    process.seteuid!(0);
  }
});

it('knows nothing of a file that is gone', () => {
  expect(new Writers().of([join(folder, 'gone.md')])).toEqual(['unknown']);
});
