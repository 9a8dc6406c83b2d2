import { apply } from '../../../../src/workflow/machine/apply.ts';
import { emptyRunState } from '../../../../src/workflow/machine/state.ts';
import type { Place } from '../place.ts';
import { eventsOf } from './check.ts';
import type { RunKind } from './kinds.ts';

/** What must hold of a workspace that was put back: it is as it was, and what was undone can be had again. */
export function checkRolledBack({ rolledBack, before = {} }: RunKind, place: Place, run: string): string[] {
  if (rolledBack === undefined) return [];
  const { committed, undone, left } = rolledBack;
  const { status, rollback } = eventsOf(place, run).reduce(apply, emptyRunState());
  const wanted = { over: true, problem: null, status: 'FAILED' };
  const got = { over: rollback?.over, problem: rollback?.problem, status };
  const folder = `.mailroom/runs/${run}`;
  const patches = place.list(folder).filter((name) => name.endsWith('.patch'));
  return [
    ...differing('the end of the run', wanted, got),
    ...checkFiles(place, { ...committed, ...before, ...left }),
    ...differing('git status', ['work.yaml', ...Object.keys(before)].toSorted(), untracked(place)),
    ...differing('patches', ['rolled-back.patch'], patches),
    ...checkPatch(place, `${folder}/rolled-back.patch`, undone),
  ];
}

/** What git has to say of a workspace; the context folder is the run's own. */
function untracked(place: Place): string[] {
  const lines = place.git('status', '--porcelain', '--untracked-files=all').split('\n');
  return lines.map((line) => line.replace('?? ', '')).filter((path) => !path.startsWith('context/'));
}

/** The patch makes of the workspace what workers had made of it. */
function checkPatch(place: Place, patch: string, undone: Readonly<Record<string, string>>): string[] {
  try {
    place.git('apply', patch);
  } catch (error) {
    return [String(error)];
  }
  return checkFiles(place, undone);
}

function checkFiles(place: Place, wanted: Readonly<Record<string, string>>): string[] {
  return Object.entries(wanted).flatMap(([path, text]) => differing(path, text, place.read(path)));
}

function differing(what: string, wanted: unknown, got: unknown): string[] {
  const texts = [wanted, got].map((each) => JSON.stringify(each));
  return texts[0] === texts[1] ? [] : [`${what}: ${String(texts[1])}, not ${String(texts[0])}`];
}
