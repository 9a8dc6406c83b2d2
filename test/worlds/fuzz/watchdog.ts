import { Worker } from 'node:worker_threads';

const longest = 60_000;

/** Runs in a thread of its own, so that work which never ends cannot hold it up. */
const dog = `
const { workerData } = require('node:worker_threads');
const { writeSync } = require('node:fs');
const { counter, words, patience } = workerData;
const view = new Int32Array(counter);
for (let seen = -1, since = Date.now(); ; ) {
  Atomics.wait(view, 2, 0, 200);
  const now = Atomics.load(view, 0);
  if (now !== seen) { seen = now; since = Date.now(); }
  if (Date.now() - since < patience || now % 2 === 0) continue;
  writeSync(2, 'no end after ' + patience + ' ms of ' + Buffer.from(words).subarray(0, Atomics.load(view, 1)).toString() + '\\n');
  process.kill(process.pid, 'SIGKILL');
}`;

/**
 * Ends this process with the words on standard error when some work is not done after `patience` milliseconds. What it
 * returns runs work under its eyes.
 */
export function watchdog(patience: number): <T>(words: string, work: () => T) => T {
  const counter = new SharedArrayBuffer(12);
  const words = new SharedArrayBuffer(longest);
  const view = new Int32Array(counter);
  const text = Buffer.from(words);
  new Worker(dog, { eval: true, workerData: { counter, words, patience } }).unref();
  return (said, work) => {
    Atomics.store(view, 1, text.write(said.slice(0, longest / 4)));
    Atomics.add(view, 0, 1);
    try {
      return work();
    } finally {
      Atomics.add(view, 0, 1);
    }
  };
}
