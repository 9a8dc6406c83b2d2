import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { playSchedule, type Result, type Subject } from './schedule.ts';
import { count, emptyTally, report, type Tally } from './tally.ts';

/** Between two lines that say how far a long simulation is. */
const everyMs = 60_000;

const options = {
  schedules: { type: 'string', default: '500' },
  seed: { type: 'string' },
  from: { type: 'string', default: '1' },
  workers: { type: 'string', default: String(availableParallelism()) },
} as const;

/**
 * The command line of the simulation, `main` its module, `args` the name of the subject and what follows it: `--schedules
 * 10000` plays so many on all cores and says what they reached, `--from 5000` begins with another seed, `--seed 42` plays
 * one schedule again. Ends with 1 when something is not as it should be, also when so many were played that every
 * transition should have been seen, and one was not.
 */
export async function simulate(subject: Subject, main: string, args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  const [name = '', role, ...range] = positionals;
  if (role === 'worker') {
    const [from = 1, to = 0, step = 1] = range.map(Number);
    for (let seed = from; seed <= to; seed += step) process.send?.(await playSchedule(subject, seed));
    process.disconnect();
    return;
  }
  const { text, good } =
    values.seed === undefined
      ? report(await spread(subject, [main, name], values), subject)
      : show(await playSchedule(subject, Number(values.seed)));
  process.stdout.write(text);
  process.exitCode = good ? 0 : 1;
}

function show({ seed, kind, counts, problems }: Result): { text: string; good: boolean } {
  const numbers = Object.entries(counts).map(([what, times]) => `${String(times)} ${what}`);
  const text = `seed ${String(seed)} (${kind}): ${numbers.join(', ')}\n`;
  return { text: text + problems.map((each) => `  ${each}\n`).join(''), good: problems.length === 0 };
}

/** Plays the seeds on several processes; a new failure is reported at once. */
async function spread(
  subject: Subject,
  [main, name]: readonly [string, string],
  values: { readonly from: string; readonly schedules: string; readonly workers: string },
): Promise<Tally> {
  const tally = emptyTally();
  const started = performance.now();
  let said = started;
  const played = (message: unknown) => {
    const known = tally.failures.length;
    count(tally, subject, message as Result);
    for (const line of tally.failures.slice(known)) process.stdout.write(`${line}\n`);
    if (performance.now() - said < everyMs) return;
    said = performance.now();
    const rate = tally.schedules / ((said - started) / 1_000);
    process.stdout.write(`${String(tally.schedules)} schedules, ${rate.toFixed(0)} a second\n`);
  };
  const first = Number(values.from);
  const last = first + Number(values.schedules) - 1;
  const workers = Math.max(1, Number(values.workers));
  const children = Array.from({ length: workers }, (_none, index) => {
    const range = [first + index, last, workers].map(String);
    const child = fork(fileURLToPath(main), [name, 'worker', ...range], {
      execArgv: process.execArgv,
      // Results hold sets.
      serialization: 'advanced',
    });
    child.on('message', played);
    return new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) =>
        code === 0 ? resolve() : reject(new Error(`a worker ended with ${String(code)}`)),
      );
    });
  });
  await Promise.all(children);
  return tally;
}
