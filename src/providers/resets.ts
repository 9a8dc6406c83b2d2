/**
 * Parses times as programs print them ("resets 3pm (Europe/Paris)", "try again in 2 days 17 hours")
 * into milliseconds since 1970. Every form is a row of the table in `readings`; limits.ts has the
 * messages.
 */

const units: readonly (readonly [RegExp, number])[] = [
  [/^(ms|milliseconds?)$/, 1],
  [/^(s|secs?|seconds?)$/, 1000],
  [/^(m|mins?|minutes?)$/, 60_000],
  [/^(h|hrs?|hours?)$/, 3_600_000],
  [/^(d|days?)$/, 86_400_000],
  [/^(w|weeks?)$/, 604_800_000],
];

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const month = '(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\\.?';
const clock = '(\\d{1,2})(?::(\\d{2}))?(?::(\\d{2}))?\\s*([ap]\\.?m\\b\\.?)?';
const zone = '(?:\\s*\\(?(UTC|GMT|Z\\b|[A-Z][A-Za-z]+/[A-Za-z_+\\-/0-9]+)\\)?)?';

const isoDate = /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d))/;
const httpDate = /^[A-Z][a-z]{2}, (\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT)/;
const epoch = /^(\d{10})(\d{3})?\b/;
const dated = new RegExp(
  `^${month}\\s+(\\d{1,2})(?:st|nd|rd|th)?(?:,?\\s+(\\d{4}))?,?\\s+(?:at\\s+)?${clock}${zone}`,
  'i',
);
const timed = new RegExp(`^${clock}${zone}`, 'i');

/**
 * How far in the past a time of day may be before it means tomorrow's: a program may repeat an old
 * limit.
 */
const staleMs = 3_600_000;

/**
 * "3h 20m", "2 days 17 hours 14 minutes", "34.07s", "6m0s", "30" (seconds): milliseconds, or null.
 */
export function duration(text: string): number | null {
  let total = 0;
  let rest = text.slice(0, 80);
  let parts = 0;
  for (;;) {
    const match = /^[\s,]*(?:and\s+)?(\d{1,7}(?:\.\d{1,9})?)\s*([a-z]+)?/i.exec(rest);
    if (match === null) break;
    const unit = match[2]?.toLowerCase();
    const size = unit === undefined ? 1000 : units.find(([names]) => names.test(unit))?.[1];
    const after = rest.slice(match[0].length);
    // A bare number is in seconds, unless it begins a date or a time of day.
    const isBare = unit === undefined && parts === 0 && !/^[-:]\d/.test(after);
    if (size === undefined || (unit === undefined && !isBare)) break;
    total += Number(match[1]) * size;
    rest = after;
    parts += 1;
  }
  return parts === 0 ? null : total;
}

/**
 * The time at the beginning of `text`, in milliseconds since 1970: ISO 8601, an HTTP date, seconds
 * or milliseconds since 1970, a date with or without a year, or a time of day. Without a time zone
 * it is in `home` (default: the machine's). Null if there is none.
 */
export function timeIn(text: string, now: number, home?: string): number | null {
  const iso = isoDate.exec(text);
  if (iso !== null) return valid(Date.parse(iso[1] ?? ''));
  const http = httpDate.exec(text);
  if (http !== null) return valid(Date.parse(http[1] ?? ''));
  const seconds = epoch.exec(text);
  if (seconds !== null) return Number(seconds[1]) * 1000 + Number(seconds[2] ?? 0);
  const date = dated.exec(text);
  if (date !== null) return onDate(date, now, home);
  const time = timed.exec(text);
  return time === null ? null : atTime(time, now, home);
}

function onDate(match: RegExpExecArray, now: number, home: string | undefined): number | null {
  const [, monthName = '', day, year, hour, minute, second, half, zoneName] = match;
  const at = (inYear: number) =>
    inZone(
      Date.UTC(inYear, months.indexOf(monthName.slice(0, 3).toLowerCase()), Number(day)) +
        timeOfDay({ hour, minute, second, half }),
      zoneName ?? home,
    );
  if (year !== undefined) return at(Number(year));
  const thisYear = new Date(now).getUTCFullYear();
  const found = at(thisYear);
  // No limit began half a year ago: "Jan 2" in a message of December is next January.
  return found !== null && found < now - 180 * 86_400_000 ? at(thisYear + 1) : found;
}

function atTime(match: RegExpExecArray, now: number, home: string | undefined): number | null {
  const [, hour, minute, second, half, zoneName] = match;
  // A bare number is not a time of day: "resets 3" is ambiguous.
  if (minute === undefined && half === undefined) return null;
  const day = 86_400_000;
  const today = Math.floor(now / day) * day;
  const candidates = [-1, 0, 1, 2]
    .map((days) => inZone(today + days * day + timeOfDay({ hour, minute, second, half }), zoneName ?? home))
    .filter((candidate) => candidate !== null && candidate > now - staleMs);
  return candidates[0] ?? null;
}

interface Clock {
  readonly hour: string | undefined;
  readonly minute: string | undefined;
  readonly second: string | undefined;
  readonly half: string | undefined;
}

/** A time without seconds means the end of that minute: an attempt before it would be too early. */
function timeOfDay({ hour, minute, second, half }: Clock): number {
  const hours = Number(hour ?? 0);
  const late = half?.toLowerCase().startsWith('p') ?? false;
  const onClock = half === undefined ? hours : (hours % 12) + (late ? 12 : 0);
  const rest = second === undefined ? (minute === undefined ? 0 : 60) : Number(second);
  return (onClock * 60 + Number(minute ?? 0)) * 60_000 + rest * 1000;
}

/** The time at which clocks of that zone show what `wall` shows in UTC. */
function inZone(wall: number, timeZone: string | undefined): number | null {
  if (valid(wall) === null) return null;
  try {
    const name = timeZone === 'Z' ? 'UTC' : timeZone;
    // Twice: the first guess may be on the other side of a change to or from summer time.
    const guess = wall - offset(wall, name);
    return wall - offset(guess, name);
  } catch {
    return null;
  }
}

/**
 * How far that zone is ahead of UTC at a time, in milliseconds. Throws RangeError for an unknown
 * zone.
 */
function offset(at: number, timeZone: string | undefined): number {
  const format = new Intl.DateTimeFormat('en-US', {
    ...(timeZone === undefined ? {} : { timeZone }),
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const parts = new Map(format.formatToParts(new Date(at)).map((part) => [part.type, Number(part.value)]));
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  const shown = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
  return shown - Math.floor(at / 1000) * 1000;
}

function valid(time: number): number | null {
  return Number.isFinite(time) && Math.abs(time) < 8.64e15 - 2e9 ? time : null;
}
