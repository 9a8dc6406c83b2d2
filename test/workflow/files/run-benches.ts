import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach } from 'vitest';
import type { Disk, Kind } from '../../../src/disk/disk.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { RealDisk } from '../../../src/disk/real-disk.ts';
import type { OpenRoot } from '../../../src/workflow/files/run-files.ts';
import { FolderDisk } from './folder-disk.ts';
import { openRoot } from '../../../src/disk/roots.ts';

/** A world with a project and other folders beside it. Paths are relative to the world. */
export interface RunBench {
  /** The absolute path of the world. */
  readonly root: string;
  /** The disk of the folder `project`. */
  readonly project: Disk;
  readonly open: OpenRoot;
  /** Null: the real disk. */
  readonly memory: MemoryDisk | null;
  /** Puts something there as another program would; a link's content is its target. */
  plant(path: string, content?: string | Uint8Array, kind?: Kind, executable?: boolean): void;
  /** The text of a file; null: there is none. */
  text(path: string): string | null;
  /** Everything in a folder, sorted, folders with a slash at the end. */
  tree(folder: string): string[];
}

const folders: string[] = [];

function treeOf(disk: Disk, folder: string, prefix = ''): string[] {
  return (disk.list(folder) ?? []).toSorted().flatMap((name) => {
    const path = `${folder}/${name}`;
    const isFolder = disk.look(path)?.kind === 'folder';
    return isFolder
      ? [`${prefix}${name}/`, ...treeOf(disk, path, `${prefix}${name}/`)]
      : [`${prefix}${name}`];
  });
}

function realBench(): RunBench {
  const root = mkdtempSync(join(tmpdir(), 'mailroom-runs-'));
  folders.push(root);
  mkdirSync(join(root, 'project'));
  const world = new RealDisk(root);
  return {
    root: world.root,
    project: new RealDisk(join(root, 'project')),
    open: openRoot,
    memory: null,
    plant: (path, content = '', kind = 'file', executable = false) => {
      const target = join(root, path);
      mkdirSync(dirname(target), { recursive: true });
      if (kind === 'folder') mkdirSync(target, { recursive: true });
      else if (kind === 'link') symlinkSync(content.toString(), target);
      else if (kind === 'fifo') execFileSync('mkfifo', [target]);
      else writeFileSync(target, content, { mode: executable ? 0o755 : 0o644 });
    },
    text: (path) => (world.look(path)?.kind === 'file' ? readFileSync(join(root, path), 'utf8') : null),
    tree: (folder) => treeOf(world, folder),
  };
}

/** A world on a disk in memory; `project` is a folder of it, and so is every other root. */
export function memoryBench(world = new MemoryDisk(() => 0, '/world')): RunBench {
  if (world.look('project') === null) world.plant('project', '', 'folder');
  return {
    root: world.root,
    project: new FolderDisk(world, 'project'),
    open: (path) => {
      const folder = path.slice(world.root.length + 1);
      if (!path.startsWith(`${world.root}/`)) return null;
      const real = world.resolve(folder);
      return real !== null && world.look(real)?.kind === 'folder' ? new FolderDisk(world, real) : null;
    },
    memory: world,
    plant: (path, content = '', kind = 'file', executable = false) => {
      if (kind === 'file' && executable) world.write(path, content, { mode: 0o755 });
      else world.plant(path, content, kind);
    },
    text: (path) =>
      world.look(path)?.kind === 'file' ? (world.read(path, Infinity)?.toString() ?? null) : null,
    tree: (folder) => treeOf(world, folder),
  };
}

export const benches = [
  { name: 'real disk', make: realBench },
  { name: 'disk in memory', make: () => memoryBench() },
] as const;

/** Removes the real folders after each test. */
export function cleanUp(): void {
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
}
