import { parseDuration } from '../kernel/duration.ts';
import { MailroomError } from '../kernel/errors.ts';
import type { Terminal } from './terminal.ts';

const minute = 60_000;

/**
 * How often a host without a terminal reports what is running, in milliseconds; null: never.
 * Default: every minute where `$CI` is set. Throws `E_USAGE`.
 */
export function heartbeatOf(given: string | undefined, ci: string | undefined): number | null {
  if (given === undefined) return ci === undefined || ci === '' || ci === 'false' ? null : minute;
  const every = given === 'off' ? null : parseDuration(given);
  if (given !== 'off' && (every === null || every < 1))
    throw new MailroomError(
      'E_USAGE',
      `\`--heartbeat\` must be a duration such as 30s or 5m, or off, not \`${given}\``,
    );
  return every;
}

/**
 * Reports at this interval the work that has been running for at least half of it; reports nothing
 * if there is none. Returns a function that ends it.
 */
export function startHeartbeat(
  { every }: Pick<Terminal, 'every'>,
  interval: number | null,
  say: (text: string) => void,
  underWay: (least: number) => readonly string[],
): () => void {
  if (interval === null) return () => {};
  return every(interval, () => {
    const found = underWay(interval / 2);
    if (found.length > 0) say(`still running: ${found.join('; ')}`);
  });
}
