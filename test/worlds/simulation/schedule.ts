import type { Life } from './life.ts';
import { Random } from './random.ts';
import type { Coverage } from './transitions.ts';
import type { VirtualWorld } from './virtual-world.ts';

/** What became of one schedule. */
export interface Result {
  readonly seed: number;
  /** In a word: what it was about, or how it ended first. */
  readonly kind: string;
  readonly problems: readonly string[];
  /** How much happened in it, by what it was. */
  readonly counts: Readonly<Record<string, number>>;
  /** Which transitions of docs/contributing/states.md were seen, and others. */
  readonly transitions: ReadonlySet<string>;
}

/** A schedule that is being played. */
export interface Schedule {
  readonly world: VirtualWorld<Life>;
  /** Everything that can go wrong does. Says what did that may not. */
  trouble(problems: string[]): Promise<void>;
  /** Everybody behaves: now everything must come to an end. */
  rest(problems: string[]): Promise<void>;
  /** Checks everything, when all is over. */
  judge(): Omit<Result, 'seed'>;
}

/** What is simulated: the mail, runs of workflows, or workers. */
export interface Subject {
  /** The command that plays its schedules. */
  readonly command: string;
  /** What it is about, in words for the report. */
  readonly schedules: string;
  /** From so many schedules on, every transition of docs/contributing/states.md must have been seen. */
  readonly enough: number;
  begin(random: Random): Schedule;
  /** What docs/contributing/states.md and the transitions that were seen do not agree on. */
  coverage(seen: Iterable<string>): Coverage;
}

/** Plays one schedule: trouble first, then calm until everything rests; then everything is checked. */
export async function playSchedule({ begin }: Pick<Subject, 'begin'>, seed: number): Promise<Result> {
  const schedule = begin(new Random(seed));
  const { world } = schedule;
  const problems: string[] = [];
  try {
    await schedule.trouble(problems);
    world.calm = true;
    world.faults.fill(Infinity);
    await schedule.rest(problems);
  } catch (error) {
    problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  const judged = schedule.judge();
  return { seed, ...judged, problems: [...problems, ...world.problems, ...judged.problems] };
}
