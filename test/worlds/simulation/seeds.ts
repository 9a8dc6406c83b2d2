import process from 'node:process';
import { playSchedule, type Subject } from './schedule.ts';
import { count, emptyTally, type Tally } from './tally.ts';

const first = Number(process.env['MAILROOM_SEED'] ?? 1);

/** So many schedules in chunks: the first seed of each, and what plays it. */
export function chunks(
  subject: Subject,
  schedules: number,
  chunk: number,
): (readonly [from: number, play: () => Promise<Tally>])[] {
  return Array.from({ length: Math.ceil(schedules / chunk) }, (_none, index) => {
    const from = first + index * chunk;
    const last = Math.min(from + chunk, first + schedules);
    const play = async (): Promise<Tally> => {
      const tally = emptyTally();
      for (let seed = from; seed < last; seed += 1) count(tally, subject, await playSchedule(subject, seed));
      return tally;
    };
    return [from, play] as const;
  });
}
