import { simulate } from './command.ts';
import { playSchedule } from './schedule.ts';
import { count, coverage, emptyTally } from './tally.ts';

/**
 * `npm run simulate -- --schedules 10000` plays so many schedules of the mail on all cores and says what they reached. Ends
 * with 1 also when so many were played that every transition should have been seen, and one was not.
 */

/** From so many schedules on, every transition of docs/states.md must have been seen: the rarest comes once in some 10,000. */
const enough = 50_000;
const tally = emptyTally();

function report(): { text: string; good: boolean } {
  const { schedules, turns, events, crashes, refused, failures, transitions } = tally;
  const { reached, all, missed, untold, reachedAfterAll } = coverage(tally);
  const list = (title: string, lines: readonly string[]) =>
    lines.length > 0 ? `${title}:\n${lines.map((line) => `  ${line}\n`).join('')}` : '';
  const rarest = [...transitions].toSorted(([, a], [, b]) => a - b).slice(0, 5);
  const text =
    `${String(schedules)} schedules, ${String(turns)} turns, ${String(events)} events, ` +
    `${String(crashes)} crashes, ${String(refused)} second controllers: ${String(failures.length)} failed\n` +
    `${String(reached)} of ${String(all)} transitions of docs/states.md reached\n` +
    list(
      'seldom',
      rarest.map(([one, times]) => `${one}: in ${String(times)}`),
    ) +
    list('not reached', missed) +
    list('reached, and not in docs/states.md', untold) +
    list('reached, and out of reach by docs/states.md', reachedAfterAll);
  const wrong = untold.length + reachedAfterAll.length + (schedules >= enough ? missed.length : 0);
  return { text, good: failures.length + wrong === 0 };
}

await simulate({
  module: import.meta.url,
  play: playSchedule,
  tally,
  count: (result) => count(tally, result),
  report,
  show: ({ seed, protocol, events, turns, crashes, problems }) => ({
    text:
      `seed ${String(seed)} (${protocol}): ${String(events)} events, ${String(turns)} turns, ` +
      `${String(crashes)} crashes\n${problems.map((problem) => `  ${problem}\n`).join('')}`,
    good: problems.length === 0,
  }),
});
