import { momentsOf } from './effects.ts';
import { containmentsOf, type Crash, type Kind } from './matrix.ts';
import type { Census, ContainmentName } from './order.ts';
import type { Result, Stage } from './stage.ts';
import { together } from './together.ts';

/** A crash of a matrix and what came of it. */
export interface Verdict {
  readonly crash: Crash;
  readonly problems: readonly string[];
  /** The program did not come there again: some places come only sometimes. Nothing was shown. */
  readonly unreached: boolean;
}

/**
 * How much is played: `all` crosses every moment of every place with every containment, `turns` gives each moment one
 * containment, by turns, `quick` plays one moment of each place.
 */
export type Extent = 'all' | 'turns' | 'quick';

/** What of a matrix is played. */
export interface Choice {
  readonly containments: readonly ContainmentName[];
  readonly extent: Extent;
  readonly most: number;
  /** The names of kinds; empty: all. */
  readonly kinds: readonly string[];
}

/** Every crash that is to be played: each place, in each kind of work that is wanted. */
export async function plan<K extends Kind>(stage: Stage<K>, choice: Choice): Promise<Crash<K>[]> {
  const found = await findAll(stage, choice);
  if (choice.extent === 'all') return found;
  return stage.matrix.kinds.flatMap((kind) =>
    byTurns(
      found.filter((crash) => crash.kind === kind),
      choice.extent,
    ),
  );
}

/** Every place that these kinds of work come to in these containments, at each of its moments. */
export async function findAll<K extends Kind>(
  stage: Stage<K>,
  choice: Omit<Choice, 'extent'>,
): Promise<Crash<K>[]> {
  const kinds = stage.matrix.kinds.filter(
    ({ name }) => choice.kinds.length === 0 || choice.kinds.includes(name),
  );
  const pairs = kinds.flatMap((kind) =>
    containmentsOf(kind, choice.containments).map((containment) => ({ kind, containment })),
  );
  const found = await together(pairs, choice.most, async ({ kind, containment }) =>
    placesOf(stage, kind, containment, await stage.census(kind, containment)),
  );
  return found.flat();
}

/** Each place that this work comes to: the first time with the power on, in a group the last time and without it. */
function placesOf<K extends Kind>(
  { matrix }: Stage<K>,
  kind: K,
  containment: ContainmentName,
  census: Census,
): Crash<K>[] {
  const last = containment === 'group';
  return Object.entries(matrix.effects).flatMap(([name, effect]) => {
    const [all, halves] = census[name] ?? [0, 0];
    return momentsOf(effect).flatMap((moment) => {
      const count = moment === 'during' ? halves : all;
      if (count === 0) return [];
      return [{ kind, containment, kill: { name, nth: last ? count : 1, moment }, powerLoss: last }];
    });
  });
}

/** One of the crashes for each moment, or for each place: the containments take turns. */
function byTurns<K extends Kind>(found: readonly Crash<K>[], extent: Extent): Crash<K>[] {
  const groups = new Map<string, Crash<K>[]>();
  for (const crash of found) {
    const key = extent === 'quick' ? crash.kill.name : `${crash.kill.name} ${crash.kill.moment}`;
    groups.set(key, [...(groups.get(key) ?? []), crash]);
  }
  return [...groups.values()].flatMap((group, index) => group[index % group.length] ?? []);
}

/** Plays crashes, several at once, and tells of each. Resolves to all verdicts, in the order of the crashes. */
export function playAll<K extends Kind>(
  stage: Stage<K>,
  crashes: readonly Crash<K>[],
  most: number,
  tell: (verdict: Verdict) => void = () => {},
): Promise<Verdict[]> {
  return together(crashes, most, async (crash) => {
    const verdict = { crash, ...(await resultOf(stage, crash)) };
    tell(verdict);
    return verdict;
  });
}

/** A place that is not reached may have come less often this time: then its first time is taken. */
async function resultOf<K extends Kind>(stage: Stage<K>, crash: Crash<K>): Promise<Result> {
  const first = { ...crash, kill: { ...crash.kill, nth: 1 } };
  const result = await stage.play(crash);
  return result.unreached && result.problems.length === 0 ? stage.play(first) : result;
}
