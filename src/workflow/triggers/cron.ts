import { Cron } from 'croner';
import type { Trigger } from '../automation.ts';

const lines = new Map<string, readonly Cron[]>();

/**
 * The first time after another (milliseconds since 1970) at which a crontab line fires; null:
 * never.
 */
export function nextTime(
  { expression, timezone }: Extract<Trigger, { kind: 'cron' }>,
  after: number,
): number | null {
  const key = `${timezone ?? ''} ${expression}`;
  const known =
    lines.get(key) ??
    singleTimes(expression).map((line) => new Cron(line, timezone === null ? {} : { timezone }));
  lines.set(key, known);
  const times = known.flatMap((line) => line.nextRun(new Date(after))?.getTime() ?? []);
  return times.length === 0 ? null : Math.min(...times);
}

/**
 * A line for each time of a list of times: when the clocks change, a single time that is missing is
 * made up for, and one that occurs twice counts once.
 */
function singleTimes(expression: string): string[] {
  const [minutes = '', hours = '', ...days] = expression.split(' ');
  if (!/^[\d,]+$/.test(minutes) || !/^[\d,]+$/.test(hours)) return [expression];
  return hours
    .split(',')
    .flatMap((hour) => minutes.split(',').map((minute) => [minute, hour, ...days].join(' ')));
}
