// `node bare-spawns.mjs COUNT AT_ONCE [MEGABYTES]`: the least that can be done with so many processes whose output is read.
// With MEGABYTES it holds so much memory meanwhile: Node forks, and the system copies the tables of it.
import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import process from 'node:process';

const [count, atOnce, megabytes = 0] = process.argv.slice(2).map(Number);
const held = Buffer.alloc(megabytes * 1_000_000, 1);
let started = 0;

function next() {
  if (started === count) return held.length;
  started += 1;
  const child = spawn('bash', ['-c', 'true'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.resume();
  child.stderr.resume();
  child.once('close', next);
}

for (let each = 0; each < atOnce; each += 1) next();
