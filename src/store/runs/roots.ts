import { existsOnDisk, RealDisk } from '../real-disk.ts';
import type { OpenRoot } from './open-root.ts';

/** Any folder of this machine; whole files are written beside their place. */
export const openRoot: OpenRoot = (path) => (existsOnDisk(path, 'folder') ? new RealDisk(path, null) : null);
