import type { Trail, TrailEntry } from '../../src/git/trail.ts';

/** A trail without git, for tests and simulations: what was recorded is committed at once. */
export interface MemoryTrail extends Trail {
  /** Every commit, oldest first. */
  commits(): readonly TrailEntry[];
  /** The files of the last commit, by path relative to the project. */
  files(): ReadonlyMap<string, string>;
}

/** `commits`: what an earlier start of the same project has left. */
export function inMemoryTrail(commits: readonly TrailEntry[] = []): MemoryTrail {
  const recorded: TrailEntry[] = [];
  const files = new Map<string, string>();
  const commit = (entry: TrailEntry): void => {
    recorded.push(entry);
    for (const { path, text } of entry.changes) {
      if (text === null) files.delete(path);
      else files.set(path, text);
    }
  };
  commits.forEach(commit);
  let last = 0;
  return {
    record(entry) {
      if (entry.seq <= last) return;
      last = entry.seq;
      commit(entry);
    },
    position: () => Promise.resolve(recorded.at(-1)?.seq ?? 0),
    settled: () => Promise.resolve(),
    problem: () => null,
    commits: () => recorded,
    files: () => files,
  };
}
