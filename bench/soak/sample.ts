import { readdirSync, readFileSync } from 'node:fs';
import { percentile } from '../report.ts';

/** What a process was like at one moment. */
export interface Sample {
  /** Seconds since the start. */
  readonly at: number;
  /** Resident memory in MiB. */
  readonly memory: number;
  readonly descriptors: number;
  /** Watches of inotify. */
  readonly watches: number;
  /** Milliseconds from the drop of a task to its agent, of the tasks since the last sample; null: there was none. */
  readonly half: number | null;
  readonly most: number | null;
}

/** Looks at a process from outside, through `/proc`. */
export function sample(pid: number, at: number, latencies: readonly number[]): Sample {
  const proc = `/proc/${String(pid)}`;
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`${proc}/status`, 'utf8'))?.[1];
  const descriptors = readdirSync(`${proc}/fdinfo`);
  const watches = descriptors.map((name) => {
    try {
      return readFileSync(`${proc}/fdinfo/${name}`, 'utf8').split('\ninotify wd:').length - 1;
    } catch {
      return 0; // closed since the listing
    }
  });
  const none = latencies.length === 0;
  return {
    at,
    memory: Number(kilobytes) / 1024,
    descriptors: descriptors.length,
    watches: watches.reduce((sum, count) => sum + count, 0),
    half: none ? null : percentile(latencies, 0.5),
    most: none ? null : percentile(latencies, 0.99),
  };
}

/** What a quantity was in the second fifth of the run, after warming up, and in the last: flat, if they are alike. */
export function drift(values: readonly number[]): { readonly early: number; readonly late: number } {
  const fifth = (number: number) => {
    const part = values.slice(
      Math.floor((values.length * number) / 5),
      Math.floor((values.length * (number + 1)) / 5),
    );
    return percentile(part, 0.5);
  };
  return { early: fifth(1), late: fifth(4) };
}
