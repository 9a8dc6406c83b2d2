import type { Result, Subject } from './schedule.ts';

/** What many schedules came to. */
export interface Tally {
  schedules: number;
  /** How much happened in all of them, by what it was. */
  readonly counts: Map<string, number>;
  /** How many schedules were of each kind. */
  readonly kinds: Map<string, number>;
  /** How many schedules went through each transition. */
  readonly transitions: Map<string, number>;
  /** One line a failing schedule, with the command that plays it again. */
  readonly failures: string[];
}

export function emptyTally(): Tally {
  return { schedules: 0, counts: new Map(), kinds: new Map(), transitions: new Map(), failures: [] };
}

export function count(tally: Tally, { command }: Subject, result: Result): void {
  const { seed, kind, problems } = result;
  tally.schedules += 1;
  for (const [what, times] of Object.entries(result.counts)) add(tally.counts, what, times);
  add(tally.kinds, kind, 1);
  for (const one of result.transitions) add(tally.transitions, one, 1);
  if (problems.length > 0)
    tally.failures.push(
      `seed ${String(seed)} (${kind}): ${problems.slice(0, 3).join('; ')}\n` +
        `  again: npm run ${command} -- --seed ${String(seed)}`,
    );
}

function add(to: Map<string, number>, key: string, times: number): void {
  to.set(key, (to.get(key) ?? 0) + times);
}

/** What all schedules came to, in words, and whether it is as it should be. */
export function report(tally: Tally, subject: Subject): { readonly text: string; readonly good: boolean } {
  const { schedules, counts, kinds, failures, transitions } = tally;
  const { reached, all, missed, untold, reachedAfterAll } = subject.coverage(transitions.keys());
  const numbers = (of: Map<string, number>) => [...of].map(([what, times]) => `${String(times)} ${what}`);
  const list = (title: string, lines: readonly string[]) =>
    lines.length > 0 ? `${title}:\n${lines.map((line) => `  ${line}\n`).join('')}` : '';
  const rarest = [...transitions].toSorted(([, a], [, b]) => a - b).slice(0, 5);
  const text =
    `${String(schedules)} ${subject.schedules}, ${numbers(counts).join(', ')}: ${String(failures.length)} failed\n` +
    `${numbers(kinds).toSorted().join(', ')}\n` +
    `${String(reached)} of ${String(all)} transitions of docs/contributing/states.md reached\n` +
    list(
      'seldom',
      rarest.map(([one, times]) => `${one}: in ${String(times)}`),
    ) +
    list('not reached', missed) +
    list('reached, and not in docs/contributing/states.md', untold) +
    list('reached, and out of reach by docs/contributing/states.md', reachedAfterAll);
  const wrong = untold.length + reachedAfterAll.length + (schedules >= subject.enough ? missed.length : 0);
  return { text, good: failures.length + wrong === 0 };
}
