import type { Result } from './schedule.ts';
import { documented, unreachable } from './transitions.ts';

/** What many schedules came to. */
export interface Tally {
  schedules: number;
  events: number;
  turns: number;
  crashes: number;
  refused: number;
  /** One line a failing schedule, with the command that plays it again. */
  readonly failures: string[];
  /** How many schedules went through each transition. */
  readonly transitions: Map<string, number>;
}

export function emptyTally(): Tally {
  return { schedules: 0, events: 0, turns: 0, crashes: 0, refused: 0, failures: [], transitions: new Map() };
}

export function count(tally: Tally, result: Result): void {
  const { seed, protocol, problems, events, turns, crashes, refused, transitions } = result;
  tally.schedules += 1;
  tally.events += events;
  tally.turns += turns;
  tally.crashes += crashes;
  tally.refused += refused;
  for (const one of transitions) tally.transitions.set(one, (tally.transitions.get(one) ?? 0) + 1);
  if (problems.length > 0)
    tally.failures.push(
      `seed ${String(seed)} (${protocol}): ${problems.slice(0, 3).join('; ')}\n` +
        `  again: npm run simulate -- --seed ${String(seed)}`,
    );
}

/** What docs/states.md and the schedules do not agree on. */
export interface Coverage {
  readonly reached: number;
  readonly all: number;
  /** Told of, reachable, and not seen. */
  readonly missed: readonly string[];
  /** Seen, and not told of. */
  readonly untold: readonly string[];
  /** Seen although the page says that it cannot be. */
  readonly reachedAfterAll: readonly string[];
}

export function coverage({ transitions }: Tally): Coverage {
  const told = documented();
  const excused = unreachable();
  const seen = [...transitions.keys()];
  const wanted = [...told].filter((one) => !excused.has(one));
  return {
    reached: wanted.filter((one) => transitions.has(one)).length,
    all: wanted.length,
    missed: wanted.filter((one) => !transitions.has(one)),
    untold: seen.filter((one) => !told.has(one)),
    reachedAfterAll: seen.filter((one) => excused.has(one)),
  };
}
