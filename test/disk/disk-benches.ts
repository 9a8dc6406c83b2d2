import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach } from 'vitest';
import type { Disk, Kind } from '../../src/disk/disk.ts';
import { MemoryDisk } from '../support/memory-disk.ts';
import { RealDisk } from '../../src/disk/real-disk.ts';

/** A fresh disk, and another program that puts things on it. */
export interface Bench {
  readonly disk: Disk;
  /** Puts something there; a link's content is its target. */
  readonly plant: (path: string, content?: string | Uint8Array, kind?: Kind) => void;
  /** Sets a file's time of change, in milliseconds since 1970. */
  readonly touch: (path: string, mtimeMs: number) => void;
}

export interface NamedBench {
  readonly name: string;
  readonly make: () => Bench;
}

const folders: string[] = [];

function realBench(): Bench {
  const root = mkdtempSync(join(tmpdir(), 'mailroom-store-'));
  folders.push(root);
  const disk = new RealDisk(root);
  const plant: Bench['plant'] = (path, content = '', kind = 'file') => {
    const target = join(disk.root, path);
    mkdirSync(dirname(target), { recursive: true });
    if (kind === 'folder') mkdirSync(target, { recursive: true });
    else if (kind === 'link') symlinkSync(content.toString(), target);
    else if (kind === 'fifo') execFileSync('mkfifo', [target]);
    else if (kind === 'file') writeFileSync(target, content);
    else throw new Error(`a ${kind} cannot be planted`);
  };
  const touch: Bench['touch'] = (path, mtimeMs) =>
    utimesSync(join(disk.root, path), mtimeMs / 1000, mtimeMs / 1000);
  return { disk, plant, touch };
}

function memoryBench(): Bench {
  let now = Date.parse('2026-11-21T20:45:12.000Z');
  const disk = new MemoryDisk(() => now);
  const touch: Bench['touch'] = (path, mtimeMs) => {
    const before = now;
    now = mtimeMs;
    disk.plant(path, disk.read(path, Infinity) ?? '');
    now = before;
  };
  return { disk, plant: (path, content, kind) => disk.plant(path, content, kind), touch };
}

export const benches: readonly NamedBench[] = [
  { name: 'real disk', make: realBench },
  { name: 'disk in memory', make: memoryBench },
];

/** Removes the real folders after each test. */
export function cleanUp(): void {
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
}
