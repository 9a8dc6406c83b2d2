import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** Schedules that are played by their seeds. */
interface Simulation<Result> {
  /** The module that calls `simulate`: each worker is a process of it. */
  readonly module: string;
  play(seed: number): Promise<Result>;
  /** What all came to; a new failure is told at once. */
  readonly tally: { readonly failures: readonly string[] };
  /** Takes a result into the tally. */
  count(result: Result): void;
  /** Tells what all came to, when all were played; whether it is as it should be. */
  report(): { readonly text: string; readonly good: boolean };
  /** The same of a single schedule. */
  show(result: Result): { readonly text: string; readonly good: boolean };
}

/** Between two lines that say how far a long run is. */
const everyMs = 60_000;

const options = {
  schedules: { type: 'string', default: '500' },
  seed: { type: 'string' },
  from: { type: 'string', default: '1' },
  workers: { type: 'string', default: String(availableParallelism()) },
} as const;

/**
 * The command line of a simulation: `--schedules 10000` plays so many on all cores, `--from 5000` begins with another seed,
 * `--seed 42` plays one schedule again. Ends with 1 when something is not as it should be.
 */
export async function simulate<Result>(simulation: Simulation<Result>): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const [role, ...range] = positionals;
  if (role === 'worker') {
    const [from = 1, to = 0, step = 1] = range.map(Number);
    for (let seed = from; seed <= to; seed += step) process.send?.(await simulation.play(seed));
    process.disconnect();
    return;
  }
  const first = Number(values.seed ?? values.from);
  if (values.seed === undefined)
    await spread(
      simulation,
      first,
      first + Number(values.schedules) - 1,
      Math.max(1, Number(values.workers)),
    );
  const { text, good } =
    values.seed === undefined ? simulation.report() : simulation.show(await simulation.play(first));
  process.stdout.write(text);
  process.exitCode = good ? 0 : 1;
}

/** Plays the seeds on several processes. */
async function spread<Result>(
  simulation: Simulation<Result>,
  first: number,
  last: number,
  workers: number,
): Promise<void> {
  const { failures } = simulation.tally;
  const started = performance.now();
  let said = started;
  let played = 0;
  const told = (message: unknown) => {
    const known = failures.length;
    simulation.count(message as Result);
    for (const line of failures.slice(known)) process.stdout.write(`${line}\n`);
    played += 1;
    if (performance.now() - said < everyMs) return;
    said = performance.now();
    const rate = played / ((said - started) / 1_000);
    process.stdout.write(`${String(played)} schedules, ${rate.toFixed(0)} a second\n`);
  };
  const children = Array.from({ length: workers }, (_none, index) => {
    const range = [first + index, last, workers].map(String);
    const child = fork(fileURLToPath(simulation.module), ['worker', ...range], {
      execArgv: process.execArgv,
      // Results hold sets.
      serialization: 'advanced',
    });
    child.on('message', told);
    return new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) =>
        code === 0 ? resolve() : reject(new Error(`a worker ended with ${String(code)}`)),
      );
    });
  });
  await Promise.all(children);
}
