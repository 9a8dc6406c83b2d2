import type { Work } from '../model.ts';
import { isTree } from './rules.ts';

/** How often the steps in a step run at most; null: nobody knows. */
export function iterationsOf(work: Work): number | null {
  if (work.kind === 'while') return work.maxIterations;
  return work.kind !== 'for-each' ? 1 : isTree(work.items) ? null : work.items.length;
}
