import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach } from 'vitest';
import type { Disk, Kind } from '../../src/disk/disk.ts';
import { MemoryDisk } from '../support/memory-disk.ts';
import { RealDisk } from '../../src/disk/real-disk.ts';

/** A fresh disk, and another program that puts things on it. */
export interface DiskFixture {
  readonly disk: Disk;
  /** Puts something there; a link's content is its target. */
  readonly plant: (path: string, content?: string | Uint8Array, kind?: Kind, executable?: boolean) => void;
  /** Sets a file's time of change, in milliseconds since 1970. */
  readonly touch: (path: string, mtimeMs: number) => void;
}

const folders: string[] = [];

export function onRealDisk(): DiskFixture {
  const root = mkdtempSync(join(tmpdir(), 'mailroom-disk-'));
  folders.push(root);
  const disk = new RealDisk(root);
  const plant: DiskFixture['plant'] = (path, content = '', kind = 'file', executable = false) => {
    const target = join(disk.root, path);
    mkdirSync(dirname(target), { recursive: true });
    if (kind === 'folder') mkdirSync(target, { recursive: true });
    else if (kind === 'link') symlinkSync(content.toString(), target);
    else if (kind === 'fifo') execFileSync('mkfifo', [target]);
    else if (kind === 'file') writeFileSync(target, content, { mode: executable ? 0o755 : 0o644 });
    else throw new Error(`a ${kind} cannot be planted`);
  };
  const touch: DiskFixture['touch'] = (path, mtimeMs) =>
    utimesSync(join(disk.root, path), mtimeMs / 1000, mtimeMs / 1000);
  return { disk, plant, touch };
}

function inMemory(): DiskFixture {
  let now = Date.parse('2026-11-21T20:45:12.000Z');
  const disk = new MemoryDisk(() => now);
  const touch: DiskFixture['touch'] = (path, mtimeMs) => {
    const before = now;
    now = mtimeMs;
    disk.plant(path, disk.read(path, Infinity) ?? '');
    now = before;
  };
  return { disk, plant: plantInMemory(disk), touch };
}

export function plantInMemory(disk: MemoryDisk): DiskFixture['plant'] {
  return (path, content, kind = 'file', executable = false) => {
    if (kind === 'file' && executable) disk.write(path, content ?? '', { mode: 0o755 });
    else disk.plant(path, content, kind);
  };
}

export const diskFixtures: readonly { readonly name: string; readonly make: () => DiskFixture }[] = [
  { name: 'real disk', make: onRealDisk },
  { name: 'disk in memory', make: inMemory },
];

/** Removes the real folders after each test. */
export function cleanUp(): void {
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
}
