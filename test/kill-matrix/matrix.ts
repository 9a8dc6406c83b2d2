import { probeContainment } from '../../src/process/containment.ts';
import { effectNames, momentsOf } from './effects.ts';
import { kinds, type Kind } from './kinds.ts';
import type { Census, ContainmentName } from './order.ts';
import type { Run, Stage } from './play.ts';

/** A run of the matrix and what came of it. */
export interface Verdict {
  readonly run: Run;
  readonly problems: readonly string[];
}

/** The kinds of containment that this machine has. */
export async function containmentsHere(): Promise<ContainmentName[]> {
  const { namespace, bubblewrap } = await probeContainment();
  return [
    ...(namespace.works ? (['namespace'] as const) : []),
    'group',
    ...(bubblewrap.works ? (['bubblewrap'] as const) : []),
  ];
}

/**
 * How much is played: `all` crosses every moment of every place with every containment, `turns` gives each moment one
 * containment, by turns, `quick` plays one moment of each place.
 */
export type Extent = 'all' | 'turns' | 'quick';

/** The whole matrix: each place, in each kind of work that is wanted. */
export async function plan(
  stage: Stage,
  containments: readonly ContainmentName[],
  extent: Extent,
  wanted: (kind: Kind) => boolean = () => true,
): Promise<Run[]> {
  const runs: Run[] = [];
  for (const kind of kinds.filter(wanted)) {
    const found: Run[][] = [];
    for (const containment of containments)
      found.push(placesOf(kind, containment, await stage.census(kind, containment)));
    runs.push(...(extent === 'all' ? found.flat() : byTurns(found, extent)));
  }
  return runs;
}

/** Each place that this work comes to: the first time with the power on, in a group the last time and without it. */
function placesOf(kind: Kind, containment: ContainmentName, census: Census): Run[] {
  const last = containment === 'group';
  return effectNames.flatMap((name) => {
    const [all, halves] = census[name] ?? [0, 0];
    return momentsOf(name).flatMap((moment): Run[] => {
      const count = moment === 'during' ? halves : all;
      if (count === 0) return [];
      return [{ kind, containment, kill: { name, nth: last ? count : 1, moment }, powerLoss: last }];
    });
  });
}

/** One of the runs for each moment, or for each place: the containments take turns. */
function byTurns(found: readonly (readonly Run[])[], extent: 'turns' | 'quick'): Run[] {
  const groups = new Map<string, Run[]>();
  for (const run of found.flat()) {
    const key = extent === 'quick' ? run.kill.name : `${run.kill.name} ${run.kill.moment}`;
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  return [...groups.values()].flatMap((group, index) => group[index % group.length] ?? []);
}

/** Plays runs, several at once, and tells of each. Resolves to all verdicts, in the order of the runs. */
export async function playAll(
  stage: Stage,
  runs: readonly Run[],
  together: number,
  tell: (verdict: Verdict) => void = () => {},
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  const queue = [...runs.entries()];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, run] = next;
      const verdict = { run, problems: await problemsOf(stage, run) };
      verdicts[index] = verdict;
      tell(verdict);
    }
  };
  await Promise.all(Array.from({ length: together }, work));
  return verdicts;
}

/** A place that is not reached may have come less often this time; the first time must always come. */
async function problemsOf(stage: Stage, run: Run): Promise<readonly string[]> {
  const first = { ...run, kill: { ...run.kill, nth: 1 } };
  for (const each of [run, first, first]) {
    const { problems, unreached } = await stage.play(each);
    if (!unreached || problems.length > 0) return problems;
  }
  return ['this place is not reached any more'];
}

export function describeRun({ kind, containment, kill, powerLoss }: Run): string {
  const place = `${kill.moment} ${kill.name} #${String(kill.nth)}`;
  return `${kind.name}, ${containment}: killed ${place}${powerLoss ? ', power lost' : ''}`;
}
