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

/** The minutes of the hours in a list: numbers, ranges and steps. */
const minutesField = /^(?:\d+|(?:\*|\d+-\d+)(?:\/\d+)?)(?:,(?:\d+|(?:\*|\d+-\d+)(?:\/\d+)?))*$/;

/**
 * A line for each time of a list of hours: when the clocks change, a single time that is missing is
 * made up for, and one that occurs twice counts once.
 */
function singleTimes(expression: string): string[] {
  const [minutes = '', hours = '', ...days] = expression.split(' ');
  if (!minutesField.test(minutes) || !/^[\d,]+$/.test(hours)) return [expression];
  const single = new Set(minutes.split(',').flatMap(minutesIn));
  return hours.split(',').flatMap((hour) => [...single].map((minute) => [minute, hour, ...days].join(' ')));
}

function minutesIn(part: string): number[] {
  const [range = '', step = '1'] = part.split('/');
  const [first = 0, last = first] = range === '*' ? [0, 59] : range.split('-').map(Number);
  return Array.from({ length: 60 }, (_none, minute) => minute).filter(
    (minute) => minute >= first && minute <= last && (minute - first) % Number(step) === 0,
  );
}
