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
  /** It waits for another run, perhaps an unknown one (null); null: it does not wait. */
  readonly waits: { readonly for: string | null } | null;
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
export function runInPlace(
  project: Disk,
  { run: { workspace, run, definition }, source }: Place,
): string | null {
  const isIn = ({ card, waits }: HostedRun) =>
    waits === null &&
    card.run !== run &&
    card.workspace === workspace &&
    (source === null ? card.workflow === definition.name : card.source === source);
  return hostedRuns(project).find(isIn)?.card.run ?? null;
}
