/**
 * Each unit's letters and milliseconds, in the order in which a duration lists them: largest first.
 */
const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
] as const;

/**
 * A duration as a regular expression, for schemas: whole numbers with a unit, larger units first,
 * each at most once. Nine digits keep every sum an exact number.
 */
export const durationPattern = '^(?=\\d)(\\d{1,9}d)?(\\d{1,9}h)?(\\d{1,9}m)?(\\d{1,9}s)?(\\d{1,9}ms)?$';

const duration = new RegExp(durationPattern);

/** The timeout of a turn, or of an agent of a step, that has none, in milliseconds: 2 hours. */
export const defaultTimeout = 7_200_000;

/** `200ms 30s 5m 2h 1h30m 1d` as milliseconds; null for anything else. */
export function parseDuration(text: string): number | null {
  const match = duration.exec(text);
  if (match === null) return null;
  return units.reduce((sum, [, size], index) => sum + Number.parseInt(match[index + 1] ?? '0', 10) * size, 0);
}

/**
 * Milliseconds (a whole number, not negative) as the shortest string that `parseDuration` reads
 * back: `1h30m`, `0s`.
 */
export function formatDuration(milliseconds: number): string {
  let rest = milliseconds;
  let text = '';
  for (const [unit, size] of units) {
    const count = Math.floor(rest / size);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * size;
  }
  return text === '' ? '0s' : text;
}
