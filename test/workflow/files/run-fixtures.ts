import type { Disk } from '../../../src/disk/disk.ts';
import { openRoot, type OpenRoot } from '../../../src/disk/roots.ts';
import { RealDisk } from '../../../src/disk/real-disk.ts';
import { onRealDisk, plantInMemory, type DiskFixture } from '../../disk/disk-fixtures.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { FolderDisk } from './folder-disk.ts';

/** A world with a project and other folders beside it. Paths are relative to the world. */
export interface RunFixture extends Pick<DiskFixture, 'plant'> {
  /** The absolute path of the world. */
  readonly root: string;
  /** The disk of the folder `project`. */
  readonly project: Disk;
  readonly open: OpenRoot;
  /** Null: the real disk. */
  readonly memory: MemoryDisk | null;
  /** The text of a file; null: there is none. */
  text(path: string): string | null;
  /** Everything in a folder, sorted, folders with a slash at the end. */
  tree(folder: string): string[];
}

function treeOf(disk: Disk, folder: string, prefix = ''): string[] {
  return (disk.list(folder) ?? []).toSorted().flatMap((name) => {
    const path = `${folder}/${name}`;
    const isFolder = disk.look(path)?.kind === 'folder';
    return isFolder
      ? [`${prefix}${name}/`, ...treeOf(disk, path, `${prefix}${name}/`)]
      : [`${prefix}${name}`];
  });
}

function readers(world: Disk): Pick<RunFixture, 'root' | 'text' | 'tree'> {
  return {
    root: world.root,
    text: (path) =>
      world.look(path)?.kind === 'file' ? (world.read(path, Infinity)?.toString() ?? null) : null,
    tree: (folder) => treeOf(world, folder),
  };
}

function realRuns(): RunFixture {
  const { disk: world, plant } = onRealDisk();
  world.makeFolder('project');
  return {
    ...readers(world),
    project: new RealDisk(`${world.root}/project`),
    open: openRoot,
    memory: null,
    plant,
  };
}

/** A world on a disk in memory; `project` is a folder of it, and so is every other root. */
export function runsInMemory(world = new MemoryDisk(() => 0, '/world')): RunFixture {
  if (world.look('project') === null) world.plant('project', '', 'folder');
  return {
    ...readers(world),
    project: new FolderDisk(world, 'project'),
    open: (path) => {
      const folder = path.slice(world.root.length + 1);
      if (!path.startsWith(`${world.root}/`)) return null;
      const real = world.resolve(folder);
      return real !== null && world.look(real)?.kind === 'folder' ? new FolderDisk(world, real) : null;
    },
    memory: world,
    plant: plantInMemory(world),
  };
}

export const runFixtures = [
  { name: 'real disk', make: realRuns },
  { name: 'disk in memory', make: () => runsInMemory() },
] as const;
