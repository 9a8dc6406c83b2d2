import type { Disk } from '../../disk/disk.ts';
import type { RunCard } from '../../letters/letters.ts';
import { readHolder } from '../../host/holder.ts';
import { isThere } from '../../host/holding.ts';
import { runsFolder } from '../../host/run-mail.ts';
import { runHolder } from '../files/layout.ts';
import { cardOf, runsProblem } from '../files/run-folders.ts';
import type { RunFolder } from '../machine/run-folder.ts';

/** The place that a run takes among the runs of its workflow. */
export interface Place {
  readonly run: RunFolder;
  /** The file of the workflow; null: it has none. */
  readonly source: string | null;
}

/** A run that a process hosts, by its note. */
export interface HostedRun {
  readonly card: RunCard;
  readonly since: number;
  /**
   * It waits for another run, perhaps an unknown one (null) or one that it `cancels`; null: it does
   * not wait.
   */
  readonly waits: { readonly for: string | null; readonly cancels?: boolean | undefined } | null;
}

/** The runs that processes of this machine host, also those that wait to begin. */
export function hostedRuns(project: Disk): HostedRun[] {
  if (runsProblem(project) !== null) return [];
  return (project.list(runsFolder) ?? []).flatMap((run) => {
    const card = cardOf(project, run);
    const holder = card === null ? null : readHolder(project, runHolder(run));
    if (card === null || holder === null || !isThere(holder.pid, holder.startTime)) return [];
    return { card, since: holder.since, waits: holder.waits };
  });
}

/** The run that has begun in a place; null: none is known. */
export function runInPlace(project: Disk, place: Place): string | null {
  return othersIn(project, place).find(({ waits }) => waits === null)?.card.run ?? null;
}

/** The other runs of a workflow that are in progress, or wait to begin, in one workspace. */
function othersIn(project: Disk, { run: { workspace, run, definition }, source }: Place): HostedRun[] {
  return hostedRuns(project).filter(
    ({ card }) =>
      card.run !== run &&
      card.workspace === workspace &&
      (source === null ? card.workflow === definition.name : card.source === source),
  );
}

/**
 * Of the other runs in a place those that this one cancels, and the newer one that cancels it;
 * null: none does. A run is as old as its id: of all, as many of the newest as are allowed stay.
 */
export function outdated(
  project: Disk,
  place: Place,
): { readonly older: readonly HostedRun[]; readonly by: string | null } {
  const most = place.run.definition.runs?.most ?? Infinity;
  const others = othersIn(project, place).toSorted((a, b) => (a.card.run < b.card.run ? 1 : -1));
  const newer = others.filter(({ card }) => card.run > place.run.run);
  if (newer.length >= most) return { older: [], by: newer.at(-1)?.card.run ?? null };
  return { older: others.slice(most - 1), by: null };
}
