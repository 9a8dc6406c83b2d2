import { existsSync } from 'node:fs';
import { watch } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

/** Resolves when a file is there whose folder is there already. */
export async function appears(path: string): Promise<void> {
  const abort = new AbortController();
  const events = watch(dirname(path), { signal: abort.signal });
  const told = (async () => {
    for await (const { filename } of events) if (filename === basename(path)) return;
  })();
  if (!existsSync(path)) await told;
  abort.abort();
  await told.catch(() => {});
}
