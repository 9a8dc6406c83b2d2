import { simulate } from '../simulation/command.ts';
import { playSchedule } from './schedule.ts';
import { count, emptyTally } from './tally.ts';

/** `npm run simulate:runs -- --schedules 10000` plays so many schedules of workflow runs on all cores. */
const tally = emptyTally();

function report(): { text: string; good: boolean } {
  const { schedules, launches, events, crashes, orphans, failures, statuses } = tally;
  const list = [...statuses].map(([status, times]) => `${status} ${String(times)}`).toSorted();
  const text =
    `${String(schedules)} schedules of runs, ${String(launches)} launches, ${String(events)} events, ` +
    `${String(crashes)} crashes, ${String(orphans)} orphans: ${String(failures.length)} failed\n` +
    `first ends: ${list.join(', ')}\n`;
  return { text, good: failures.length === 0 };
}

await simulate({
  module: import.meta.url,
  play: playSchedule,
  tally,
  count: (result) => count(tally, result),
  report,
  show: ({ seed, status, events, launches, crashes, problems }) => ({
    text:
      `seed ${String(seed)}: ${status} first, ${String(events)} events, ${String(launches)} launches, ` +
      `${String(crashes)} crashes\n${problems.map((problem) => `  ${problem}\n`).join('')}`,
    good: problems.length === 0,
  }),
});
