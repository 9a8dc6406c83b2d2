import { randomBytes } from 'node:crypto';
import { LogReading } from './log-reading.ts';
import { LineIndex, type LogSource } from './log-rows.ts';
import type { HttpServices } from './route.ts';

const mostReadings = 64;
const linkMilliseconds = 60_000;

interface Link {
  /** Milliseconds since 1970. */
  readonly until: number;
  /** For the file that it is saved as. */
  readonly name: string;
  readonly log: LogReading;
}

/** What a server knows of logs: the lines of those that were read, and the links to whole ones. */
export class ServedLogs {
  /** By their names, the most recently read last. */
  readonly #readings = new Map<string, LogReading>();
  /** By their secrets. */
  readonly #links = new Map<string, Link>();

  reading({ api }: HttpServices, name: string, source: LogSource): LogReading {
    const reading = this.#readings.get(name) ?? new LogReading(source, new LineIndex(source), api);
    this.#readings.delete(name);
    this.#readings.set(name, reading);
    const [oldest] = this.#readings.keys();
    if (this.#readings.size > mostReadings && oldest !== undefined) this.#readings.delete(oldest);
    return reading;
  }

  /** A link that works once, within a minute. */
  link(log: LogReading, name: string, now: number): { readonly secret: string; readonly until: number } {
    for (const [secret, { until }] of this.#links) if (until < now) this.#links.delete(secret);
    const secret = randomBytes(32).toString('base64url');
    const until = now + linkMilliseconds;
    this.#links.set(secret, { until, name, log });
    return { secret, until };
  }

  /** Null: there is no such link, it was used, or its minute is over. */
  take(secret: string, now: number): Link | null {
    const link = this.#links.get(secret);
    this.#links.delete(secret);
    return link === undefined || link.until < now ? null : link;
  }
}
