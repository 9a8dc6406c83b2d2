import process from 'node:process';
import { parseArgs } from 'node:util';
import { playSchedule } from './schedule.ts';

/** `npm run simulate -- --schedules 10000`, or `--seed 42` to play one schedule again. */
const { values } = parseArgs({
  options: {
    schedules: { type: 'string', default: '500' },
    seed: { type: 'string' },
    from: { type: 'string', default: '1' },
  },
});

const first = Number(values.seed ?? values.from);
const count = values.seed === undefined ? Number(values.schedules) : 1;
const totals = { events: 0, turns: 0, crashes: 0, failed: 0 };
for (let seed = first; seed < first + count; seed += 1) {
  const result = playSchedule(seed);
  totals.events += result.events;
  totals.turns += result.turns;
  totals.crashes += result.crashes;
  if (result.problems.length === 0) continue;
  totals.failed += 1;
  process.stdout.write(
    `seed ${String(seed)} (${result.protocol}):\n  ${result.problems.slice(0, 10).join('\n  ')}\n`,
  );
  process.stdout.write(`  again: npm run simulate -- --seed ${String(seed)}\n`);
}
process.stdout.write(
  `${String(count)} schedules, ${String(totals.turns)} turns, ${String(totals.events)} events, ` +
    `${String(totals.crashes)} crashes: ${String(totals.failed)} failed\n`,
);
process.exitCode = totals.failed > 0 ? 1 : 0;
