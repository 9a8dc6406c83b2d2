import type { Work } from '../model.ts';
import { isTree } from './rules.ts';

/** The maximum number of iterations of a step's inner steps; null: unknown. */
export function iterationsOf(work: Work): number | null {
  if (work.kind === 'while') return work.maxIterations;
  return work.kind !== 'for-each' ? 1 : isTree(work.items) ? null : work.items.length;
}
