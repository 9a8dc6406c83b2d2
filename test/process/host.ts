import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll } from 'vitest';
import { fixture } from './support.ts';

/** Makes one plain program of a host script and the room's sources, so that it starts at once. Call it outside tests. */
export async function bundleHost(name: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'mailroom-host-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const outfile = join(folder, 'host.mjs');
  await build({
    entryPoints: [fixture(name)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  return outfile;
}

export interface Host {
  readonly child: ChildProcess;
  /** Resolves when the host has said this. */
  said(word: string): Promise<void>;
  kill(): Promise<void>;
}

/** Runs a bundled host script. */
export function startHost(file: string, ...args: string[]): Host {
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  let heard = '';
  child.stdout.on('data', (chunk: Buffer) => (heard += chunk.toString()));
  return {
    child,
    async said(word) {
      while (!heard.includes(word)) await once(child.stdout, 'data');
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
