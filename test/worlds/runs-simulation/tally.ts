import type { Result } from './schedule.ts';

/** What many schedules came to. */
export interface Tally {
  schedules: number;
  events: number;
  launches: number;
  crashes: number;
  orphans: number;
  /** One line a failing schedule, with the command that plays it again. */
  readonly failures: string[];
  /** How often a run came to each status when it was over for the first time. */
  readonly statuses: Map<string, number>;
  /** In how many schedules each event was seen. */
  readonly types: Map<string, number>;
}

export function emptyTally(): Tally {
  return {
    schedules: 0,
    events: 0,
    launches: 0,
    crashes: 0,
    orphans: 0,
    failures: [],
    statuses: new Map(),
    types: new Map(),
  };
}

export function count(tally: Tally, result: Result): void {
  const { seed, problems, events, launches, crashes, orphans, status, types } = result;
  tally.schedules += 1;
  tally.events += events;
  tally.launches += launches;
  tally.crashes += crashes;
  tally.orphans += orphans;
  tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
  for (const type of types) tally.types.set(type, (tally.types.get(type) ?? 0) + 1);
  if (problems.length > 0)
    tally.failures.push(
      `seed ${String(seed)}: ${problems.slice(0, 3).join('; ')}\n` +
        `  again: npm run simulate:runs -- --seed ${String(seed)}`,
    );
}
