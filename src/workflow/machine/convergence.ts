import type { ConvergenceState } from './event.ts';
import type { Convergence } from '../model.ts';

/** How often a check without a verdict is tried. */
export const mostChecks = 3;

/**
 * The convergence after one more incomplete check. The same set of fingerprints (else of reasons)
 * `stallThreshold` times in a row, including the first, raises the stage by one. With neither,
 * nothing is compared.
 */
export function afterIncomplete(
  { stallThreshold, maxStage }: Convergence,
  before: ConvergenceState,
  found: { readonly reasons: readonly string[]; readonly fingerprints: readonly string[] },
): ConvergenceState {
  const compared = found.fingerprints.length > 0 ? found.fingerprints : found.reasons;
  if (compared.length === 0) return before;
  const last = [...new Set(compared)].toSorted();
  const same = before.last !== null && JSON.stringify(before.last) === JSON.stringify(last);
  const stalled = same ? before.stalled + 1 : 1;
  if (stalled < stallThreshold) return { stage: before.stage, stalled, last };
  return { stage: Math.min(maxStage, before.stage + 1), stalled: 0, last };
}

/** Whether a step must fail because its iterations no longer converge. */
export function isHopeless({ maxStage, failOnMaxStage }: Convergence, { stage }: ConvergenceState): boolean {
  return failOnMaxStage && stage >= maxStage;
}
