import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { scratchRoot } from './scratch.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));

/** What scripts/build.mjs exports. */
export interface Builder {
  build: (folder: string) => Promise<string>;
  ensureBuilt: () => Promise<string>;
  copyBuild: (from: string, to: string) => void;
}

/** The folder that the program is installed in while the tests run. */
export const installed = join(scratchRoot(), `mailroom-installed-${String(process.pid)}`);

/**
 * Lays the program out as its package has it, for the tests to start: that of a checkout looks at each start whether its
 * sources are newer than what was built of them.
 */
export default async function install(): Promise<() => void> {
  // Several projects of tests need it: the first makes it, and removes it in the end.
  if (existsSync(installed)) return () => {};
  const script = new URL('../../scripts/build.mjs', import.meta.url).href;
  const { ensureBuilt, copyBuild } = (await import(script)) as Builder;
  const built = dirname(await ensureBuilt());
  const { files } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as { files: string[] };
  mkdirSync(installed);
  // What the package leaves out of a folder does no harm here; its manual pages are made when it is
  // packed.
  for (const name of ['package.json', ...files.filter((each) => !each.startsWith('!') && each !== 'man')])
    if (name === 'dist') copyBuild(built, join(installed, name));
    else cpSync(join(checkout, name), join(installed, name), { recursive: true });
  return () => rmSync(installed, { recursive: true, force: true });
}
