// `node bare-spawns.mjs COUNT AT_ONCE`: the least that can be done with so many processes. Nothing is captured, kept or looked at.
import { spawn } from 'node:child_process';
import process from 'node:process';

const [count, atOnce] = process.argv.slice(2).map(Number);
let started = 0;

function next() {
  if (started === count) return;
  started += 1;
  spawn('bash', ['-c', 'true'], { stdio: 'ignore' }).once('exit', next);
}

for (let each = 0; each < atOnce; each += 1) next();
