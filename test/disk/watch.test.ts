import {
  appendFileSync,
  readdirSync,
  readFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { watchFolders } from '../../src/disk/watch.ts';
import type { Watch } from '../../src/disk/watch.ts';

let root: string;
let inbox: string;
let watch: Watch | null = null;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mailroom-watch-'));
  inbox = join(root, 'inbox');
  mkdirSync(inbox);
});
afterEach(async () => {
  await watch?.close();
  rmSync(root, { recursive: true, force: true });
});

/** Counts hints, and lets a test wait for the next one. */
function hints(): { count: number; onHint: () => void; next: () => Promise<void> } {
  let tell: (() => void) | null = null;
  const counted = {
    count: 0,
    onHint: () => {
      counted.count += 1;
      tell?.();
    },
    next: () => new Promise<void>((resolve) => (tell = resolve)),
  };
  return counted;
}

/** The watches of the system that a process holds (Linux). */
function watchesOf(pid: number): number {
  const folder = `/proc/${String(pid)}/fdinfo`;
  const texts = readdirSync(folder).map((name) => {
    try {
      return readFileSync(join(folder, name), 'utf8');
    } catch {
      return '';
    }
  });
  return texts.join('').match(/^inotify wd:/gm)?.length ?? 0;
}

describe('watchFolders', () => {
  it('keeps no program running', async () => {
    writeFileSync(join(inbox, 'old.md'), 'x');
    watch = watchFolders([inbox], () => {});
    await watch.ready;
    expect(process.getActiveResourcesInfo()).not.toContain('FSEventWrap');
  });

  it('hints when a file comes, changes and goes, and not at what was there', async () => {
    writeFileSync(join(inbox, 'old.md'), 'x');
    const told = hints();
    watch = watchFolders([inbox], told.onHint);
    await watch.ready;
    expect(told.count).toBe(0);
    writeFileSync(join(root, 'new.md'), 'x');
    let next = told.next();
    renameSync(join(root, 'new.md'), join(inbox, 'new.md'));
    await next;
    next = told.next();
    writeFileSync(join(inbox, 'old.md'), 'changed');
    await next;
    next = told.next();
    rmSync(join(inbox, 'new.md'));
    await next;
    expect(told.count).toBeGreaterThanOrEqual(3);
  });

  it('hints once for a burst in one turn of the loop, and hears every folder', async () => {
    const control = join(root, 'control');
    mkdirSync(control);
    const told = hints();
    watch = watchFolders([inbox, control], told.onHint);
    await watch.ready;
    let next = told.next();
    for (let number = 0; number < 200; number += 1) writeFileSync(join(inbox, `${number}.md`), 'x');
    await next;
    expect(told.count).toBeLessThan(200);
    next = told.next();
    writeFileSync(join(control, 'x.json'), '{}');
    await next;
    next = told.next();
    writeFileSync(join(control, '000000000001.log'), '{}');
    await next;
    next = told.next();
    appendFileSync(join(control, '000000000001.log'), '{}');
    await next;
    expect(told.count).toBeGreaterThan(3);
  });

  it('says nothing after it was closed', async () => {
    const told = hints();
    const closing = watchFolders([inbox], told.onHint);
    await closing.ready;
    writeFileSync(join(inbox, 'x.md'), 'x');
    await closing.close();
    const another = hints();
    watch = watchFolders([inbox], another.onHint);
    await watch.ready;
    const next = another.next();
    writeFileSync(join(inbox, 'y.md'), 'x');
    await next;
    expect(told.count).toBe(0);
  });

  it('hears of a folder that came later, and of one in the place of another', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] });
    try {
      const late = join(root, 'late');
      const told = hints();
      watch = watchFolders([late, inbox], told.onHint);
      mkdirSync(late);
      renameSync(inbox, join(root, 'elsewhere'));
      mkdirSync(inbox);
      let next = told.next();
      vi.advanceTimersByTime(2_000);
      await next;
      for (const folder of [late, inbox]) {
        next = told.next();
        writeFileSync(join(folder, 'x.md'), 'x');
        await next;
      }
      expect(told.count).toBeGreaterThanOrEqual(3);
    } finally {
      vi.useRealTimers();
    }
  });

  it('holds one watch of the system for a folder, whatever lies in it', async () => {
    for (let number = 0; number < 50; number += 1) writeFileSync(join(inbox, `${number}.md`), 'x');
    const before = watchesOf(process.pid);
    watch = watchFolders([inbox], () => {});
    await watch.ready;
    expect(watchesOf(process.pid) - before).toBe(1);
  });

  it('does not throw where there is nothing to watch', async () => {
    const told = hints();
    watch = watchFolders([join(root, 'missing'), '/proc/self/mem'], told.onHint);
    await watch.ready;
    expect(told.count).toBe(0);
  });
});
