import type { Disk } from './disk.ts';
import { existsOnDisk, RealDisk } from './real-disk.ts';

/** Opens the folder at an absolute path as a root; null: no such folder. */
export type OpenRoot = (path: string) => Disk | null;

/** Opens any folder of this machine; whole files are written beside their place. */
export const openRoot: OpenRoot = (path) => (existsOnDisk(path, 'folder') ? new RealDisk(path, null) : null);
