// `starts-host.ts COUNT AT_ONCE MEGABYTES launcher|itself` starts so many programs, as a host starts its tools, in a process
// that holds so much more memory, and prints for how long its main thread stood still at each start, in milliseconds.
import { Buffer } from 'node:buffer';
import { createRequire } from 'node:module';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { setTimeout as wait } from 'node:timers/promises';
import { run } from '../src/process/run.ts';
import {
  openLauncher,
  readyLauncher,
  useLaunchers,
  type SpawnLauncher,
} from '../src/process/starting/launcher.ts';
import { openOutputPipe } from '../src/process/starting/pipe-pool.ts';

const [count = 0, atOnce = 1, megabytes = 0] = process.argv.slice(2, 5).map(Number);
const { startLauncher } = createRequire(import.meta.url)('../bin/launcher.cjs') as {
  startLauncher: (file: string) => ReturnType<SpawnLauncher>;
};
if (process.argv[5] === 'launcher') {
  useLaunchers(() => startLauncher(fileURLToPath(new URL('../dist/launcher.cjs', import.meta.url))));
  openLauncher();
  while (readyLauncher() === null) await wait(5);
}
openOutputPipe()?.discard();
const held = Buffer.alloc(megabytes * 1_000_000, 1);
const env = { PATH: process.env['PATH'] ?? '' };
let [started, still] = [0, 0];
const begun = performance.now();

async function lane(): Promise<void> {
  while (started < count) {
    started += 1;
    const before = performance.now();
    const ended = run(['bash', '-c', 'true'], { cwd: '/', env });
    still += performance.now() - before;
    const { exitCode, error } = await ended;
    if (exitCode !== 0) throw new Error(error ?? 'it failed');
  }
}

await Promise.all(Array.from({ length: atOnce }, lane));
const wall = performance.now() - begun;
process.stdout.write(JSON.stringify({ wall, still: still / count, held: held.length }));
