import type { Disk } from '../disk.ts';

/** Opens the folder at an absolute path as a root of its own; null: there is no such folder. */
export type OpenRoot = (path: string) => Disk | null;
