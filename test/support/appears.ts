import { existsSync, readdirSync } from 'node:fs';
import { watch } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

/** Resolves when a file is there whose folder is there already. */
export function appears(path: string): Promise<void> {
  return changes(dirname(path), (name) => name === basename(path) || existsSync(path));
}

/** Resolves when a folder that is there already holds so many whole files that match. */
export function fills(folder: string, matching: RegExp, count: number): Promise<void> {
  const whole = () => readdirSync(folder).filter((name) => !name.startsWith('.') && matching.test(name));
  return changes(folder, () => whole().length === count);
}

async function changes(folder: string, holds: (changed: string | null) => boolean): Promise<void> {
  const abort = new AbortController();
  const events = watch(folder, { signal: abort.signal });
  const told = (async () => {
    for await (const { filename } of events) if (holds(filename)) return;
  })();
  if (!holds(null)) await told;
  abort.abort();
  await told.catch(() => {});
}
