import { lstatSync, mkdirSync, rmdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, extname } from 'node:path';
import { keepPlaces } from './held-places.ts';
import { isAbove } from './program-paths.ts';
import type { Containment } from '../types.ts';

type Sandbox = Extract<Containment, { kind: 'bubblewrap' }>;

/**
 * Creates missing paths that a sandbox makes writable: a sandbox can show only existing ones. A
 * name with an extension becomes a file, any other a folder; of a program's own settings (`kept`)
 * only folders are created. Empty folders keep missing paths that must be protected. `close`
 * removes these, and what the program has left empty of the rest.
 */
export function openPlaces(
  containment: Containment,
  { project, kept, owed }: PlacesWanted,
): { readonly close: () => void } {
  if (containment.kind !== 'bubblewrap') return { close() {} };
  for (const path of kept) if (extname(path) === '') makeFolder(path);
  const writable = new Set(containment.writable);
  const made = owed.filter((path) => writable.has(path) && make(path));
  const held = keepPlaces(project, containment.held?.filter((path) => isWritable(path, containment)) ?? []);
  return {
    close() {
      held.close();
      for (const path of made) removeEmpty(path);
    },
  };
}

interface PlacesWanted {
  readonly project: string;
  /** Folders of the program's own settings. */
  readonly kept: readonly string[];
  readonly owed: readonly string[];
}

/** Whether an agent could create the path; a path in a read-only folder needs no protection. */
function isWritable(path: string, { readable, writable }: Sandbox): boolean {
  const deepest = (places: readonly string[]) =>
    Math.max(-1, ...places.filter((place) => isAbove(place, path)).map((place) => place.length));
  return deepest(writable) >= deepest(readable) && deepest(writable) >= 0;
}

/** Creates a missing path. True: the path was created, or is an empty file. */
function make(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found !== undefined) return found.isFile() && found.size === 0;
  if (extname(path) === '') return makeFolder(path);
  makeFolder(dirname(path));
  writeFileSync(path, '', { flag: 'wx' });
  return true;
}

/** False: the folder could not be created. */
function makeFolder(path: string): boolean {
  try {
    mkdirSync(path, { recursive: true });
    return true;
  } catch {
    return false;
  }
}

function removeEmpty(path: string): void {
  try {
    const found = statSync(path);
    if (found.isDirectory()) rmdirSync(path);
    else if (found.size === 0) unlinkSync(path);
  } catch {
    // The path is gone, or holds a handover.
  }
}
