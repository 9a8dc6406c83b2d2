import { mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readHolder, removeHolder, writeHolder } from '../../src/host/holder.ts';
import { takeFallbackLock } from '../../src/host/fallback-lock.ts';
import { MemoryDisk } from '../support/memory-disk.ts';
import { RealDisk } from '../../src/disk/real-disk.ts';

let disk: RealDisk;
let held: string;

beforeEach(() => {
  disk = new RealDisk(mkdtempSync(join(tmpdir(), 'mailroom-lock-')));
  held = join(disk.root, '.mailroom/lock.held');
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(disk.root, { recursive: true, force: true });
});

describe('takeFallbackLock', () => {
  it('is had by one, and by the next when it was let go', async () => {
    const first = takeFallbackLock(disk);
    expect(first.held).toBe(true);
    expect(takeFallbackLock(disk)).toEqual({ held: false, reason: 'taken' });
    if (first.held) {
      await first.release();
      await first.release();
    }
    const second = takeFallbackLock(disk);
    expect(second.held).toBe(true);
    if (second.held) await second.release();
  });

  it('takes over what was abandoned over 15 s ago, and not before', async () => {
    mkdirSync(held, { recursive: true });
    utimesSync(held, new Date(Date.now() - 10_000), new Date(Date.now() - 10_000));
    expect(takeFallbackLock(disk)).toEqual({ held: false, reason: 'taken' });
    utimesSync(held, new Date(Date.now() - 16_000), new Date(Date.now() - 16_000));
    const lock = takeFallbackLock(disk);
    expect(lock.held).toBe(true);
    if (lock.held) await lock.release();
  });

  it('tells when it was lost', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const lock = takeFallbackLock(disk);
    rmSync(held, { recursive: true });
    vi.advanceTimersByTime(3_000);
    if (lock.held) await lock.lost;
    expect(lock.held).toBe(true);
    if (lock.held) await lock.release();
  });
});

describe('the holder', () => {
  it('is written down for others to read', () => {
    expect(readHolder(disk)).toBe(null);
    const told = { since: 1_700_000_000_000, triggers: true, startTime: 'boot-1' };
    const holder = { pid: process.pid, host: hostname(), ...told, problems: [], waits: null, slots: null };
    expect(writeHolder(disk, told)).toEqual(holder);
    expect(readHolder(disk)).toEqual(holder);
    const problems = Array.from({ length: 9 }, () => '\0'.repeat(9_999));
    writeHolder(disk, { ...told, problems });
    expect(readHolder(disk)?.problems).toEqual(Array.from({ length: 5 }, () => '\0'.repeat(300)));
    removeHolder(disk);
    expect(readHolder(disk)).toBe(null);
  });

  it.each(['', 'no JSON', '[]', '{"pid":"1","host":"h","since":1}', '{"pid":1,"since":1}'])(
    'is no one where the file says %j',
    (text) => {
      const memory = new MemoryDisk();
      memory.plant('.mailroom/lock.json', text);
      expect(readHolder(memory)).toBe(null);
    },
  );
});
