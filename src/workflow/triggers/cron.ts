import { Cron } from 'croner';
import type { Trigger } from '../automation.ts';

const lines = new Map<string, Cron>();

/**
 * The first time after another (milliseconds since 1970) at which a crontab line fires; null:
 * never.
 */
export function nextTime(
  { expression, timezone }: Extract<Trigger, { kind: 'cron' }>,
  after: number,
): number | null {
  const key = `${timezone ?? ''} ${expression}`;
  const line = lines.get(key) ?? new Cron(expression, timezone === null ? {} : { timezone });
  lines.set(key, line);
  return line.nextRun(new Date(after))?.getTime() ?? null;
}
