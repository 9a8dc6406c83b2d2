import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { playSchedule, type Result } from './schedule.ts';
import { count, emptyTally, type Tally } from './tally.ts';

/**
 * `npm run simulate:runs -- --schedules 10000` plays so many schedules of workflow runs on all cores; `--from 5000` begins
 * with another seed, `--seed 42` plays one again. Ends with 1 when a schedule failed.
 */
const { values } = parseArgs({
  allowPositionals: true,
  options: {
    schedules: { type: 'string', default: '500' },
    seed: { type: 'string' },
    from: { type: 'string', default: '1' },
    workers: { type: 'string', default: String(availableParallelism()) },
  },
});

/** A result as it comes from a worker. */
type Told = Omit<Result, 'types'> & { readonly types: readonly string[] };

function report(tally: Tally): void {
  const { schedules, launches, events, crashes, orphans, failures, statuses } = tally;
  const list = [...statuses].map(([status, times]) => `${status} ${String(times)}`).toSorted();
  process.stdout.write(
    `${String(schedules)} schedules of runs, ${String(launches)} launches, ${String(events)} events, ` +
      `${String(crashes)} crashes, ${String(orphans)} orphans: ${String(failures.length)} failed\n` +
      `first ends: ${list.join(', ')}\n`,
  );
  process.exitCode = failures.length > 0 ? 1 : 0;
}

/** Plays the seeds on several processes. */
async function spread(first: number, last: number, workers: number): Promise<Tally> {
  const tally = emptyTally();
  const told = (message: unknown) => {
    const result = message as Told;
    const failed = tally.failures.length;
    count(tally, { ...result, types: new Set(result.types) });
    for (const line of tally.failures.slice(failed)) process.stdout.write(`${line}\n`);
  };
  const children = Array.from({ length: workers }, (_none, index) => {
    const range = [first + index, last, workers].map(String);
    const child = fork(fileURLToPath(import.meta.url), ['worker', ...range], { execArgv: process.execArgv });
    child.on('message', told);
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

async function main(): Promise<void> {
  const first = Number(values.seed ?? values.from);
  if (values.seed !== undefined) {
    const { status, events, launches, crashes, problems } = await playSchedule(first);
    process.stdout.write(
      `seed ${String(first)}: ${status} first, ${String(events)} events, ${String(launches)} launches, ` +
        `${String(crashes)} crashes\n${problems.map((problem) => `  ${problem}\n`).join('')}`,
    );
    process.exitCode = problems.length > 0 ? 1 : 0;
    return;
  }
  const last = first + Number(values.schedules) - 1;
  report(await spread(first, last, Math.max(1, Number(values.workers))));
}

const [, , role, ...range] = process.argv;
if (role === 'worker') {
  const [from = 1, to = 0, step = 1] = range.map(Number);
  for (let seed = from; seed <= to; seed += step) {
    const result = await playSchedule(seed);
    process.send?.({ ...result, types: [...result.types] });
  }
  process.disconnect();
} else await main();
