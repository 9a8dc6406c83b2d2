import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as bundle } from 'esbuild';
import type { Builder } from '../../support/installed.ts';
import type { Subject } from './order.ts';

const packageRoot = fileURLToPath(new URL('../../..', import.meta.url));

/** The program as it is built for people, in a folder of its own, and what starts it under the killer. */
export interface Program {
  readonly app: string;
  readonly packageRoot: string;
  readonly controller: string;
  readonly subject: Subject;
}

/** Builds it as the sources are now, and what kills it at the places of a subject; `remove` deletes both. */
export async function buildProgram(subject: Subject): Promise<{ program: Program; remove: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), 'mailroom-kill-program-'));
  const script = new URL('../../../scripts/build.mjs', import.meta.url).href;
  const { ensureBuilt, copyBuild } = (await import(script)) as Builder;
  const built = await ensureBuilt();
  // A copy, since the sources may change while it is played with.
  const dist = join(folder, 'dist');
  copyBuild(dirname(built), dist);
  const app = join(dist, basename(built));
  const bundled = join(folder, 'controller.mjs');
  await bundle({
    entryPoints: [fileURLToPath(new URL('controller.ts', import.meta.url))],
    outfile: bundled,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'silent',
  });
  return {
    program: { app, packageRoot, controller: bundled, subject },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
