import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { lockNames } from '../../kernel/lock-names.ts';

/** Each file that a sandbox hides costs about a millisecond, and bwrap takes no more than 9,000 arguments. */
const mostOfAKind = 50;

/**
 * The lock files of a project that are there, absolute: whoever can open one, if only to read it, can lock it and keep the
 * host out. Of runs and of context folders those of the 50 that were taken last.
 */
export function existingLocks(project: string): string[] {
  const [runs, contexts] = [join(project, lockNames.runs), join(project, lockNames.contexts)];
  const ofRuns = namesIn(runs).map((name) => {
    const folder = join(runs, name);
    // Who holds it is written beside it, and removed.
    return { lock: join(folder, lockNames.run), changes: folder };
  });
  const ofContexts = namesIn(contexts)
    .filter((name) => !name.includes('.'))
    .map((name) => ({ lock: join(contexts, name), changes: join(contexts, `${name}.json`) }));
  const fixed = [lockNames.project, lockNames.start].map((name) => join(project, name));
  return [
    ...fixed.filter((path) => changedAt(path) !== null),
    ...takenLast(ofRuns),
    ...takenLast(ofContexts),
  ];
}

/** `changes`: what is changed whenever the lock is taken, which leaves its own file as it is. */
function takenLast(all: readonly { readonly lock: string; readonly changes: string }[]): string[] {
  return all
    .flatMap(({ lock, changes }) => {
      const made = changedAt(lock);
      return made === null ? [] : [{ lock, at: Math.max(made, changedAt(changes) ?? 0) }];
    })
    .toSorted((a, b) => b.at - a.at)
    .slice(0, mostOfAKind)
    .map(({ lock }) => lock);
}

/** Null: there is no such thing. */
function changedAt(path: string): number | null {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return null;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
