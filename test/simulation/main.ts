import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { playSchedule, type Result } from './schedule.ts';
import { count, coverage, emptyTally, type Tally } from './tally.ts';

/**
 * `npm run simulate -- --schedules 10000` plays so many schedules on all cores and says what they reached; `--from 5000`
 * begins with another seed, `--seed 42` plays one schedule again. Ends with 1 when a schedule failed, or when so many were
 * played that every transition should have been seen, and one was not.
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

/** From so many schedules on, every transition of docs/states.md must have been seen: the rarest comes once in 2,000. */
const enough = 10_000;
/** Between two lines that say how far a long run is. */
const everyMs = 60_000;

/** A result as it comes from a worker. */
type Told = Omit<Result, 'transitions'> & { readonly transitions: readonly string[] };

/** Plays every so-manyth schedule, and tells each result. */
async function work(
  first: number,
  last: number,
  step: number,
  tell: (result: Result) => void,
): Promise<void> {
  for (let seed = first; seed <= last; seed += step) tell(await playSchedule(seed));
}

function report(tally: Tally): void {
  const { schedules, turns, events, crashes, refused, failures, transitions } = tally;
  const { reached, all, missed, untold, reachedAfterAll } = coverage(tally);
  const list = (title: string, lines: readonly string[]) =>
    lines.length > 0 ? `${title}:\n${lines.map((line) => `  ${line}\n`).join('')}` : '';
  const rarest = [...transitions].toSorted(([, a], [, b]) => a - b).slice(0, 5);
  process.stdout.write(
    `${String(schedules)} schedules, ${String(turns)} turns, ${String(events)} events, ` +
      `${String(crashes)} crashes, ${String(refused)} second controllers: ${String(failures.length)} failed\n` +
      `${String(reached)} of ${String(all)} transitions of docs/states.md reached\n` +
      list(
        'seldom',
        rarest.map(([one, times]) => `${one}: in ${String(times)}`),
      ) +
      list('not reached', missed) +
      list('reached, and not in docs/states.md', untold) +
      list('reached, and out of reach by docs/states.md', reachedAfterAll),
  );
  const wrong = untold.length + reachedAfterAll.length + (schedules >= enough ? missed.length : 0);
  process.exitCode = failures.length + wrong > 0 ? 1 : 0;
}

/** Plays on several cores and resolves to what all came to. */
async function spread(first: number, last: number, workers: number): Promise<Tally> {
  const tally = emptyTally();
  const started = performance.now();
  let said = started;
  const told = (message: unknown) => {
    const result = message as Told;
    const failed = tally.failures.length;
    count(tally, { ...result, transitions: new Set(result.transitions) });
    for (const line of tally.failures.slice(failed)) process.stdout.write(`${line}\n`);
    if (performance.now() - said < everyMs) return;
    said = performance.now();
    const rate = tally.schedules / ((said - started) / 1_000);
    process.stdout.write(`${String(tally.schedules)} schedules, ${rate.toFixed(0)} a second\n`);
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
    const result = await playSchedule(first);
    const { protocol, events, turns, crashes, problems } = result;
    process.stdout.write(
      `seed ${String(first)} (${protocol}): ${String(events)} events, ${String(turns)} turns, ` +
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
  await work(from, to, step, (result) => process.send?.({ ...result, transitions: [...result.transitions] }));
  process.disconnect();
} else await main();
