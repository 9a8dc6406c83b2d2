import type { StepPath } from './event.ts';
import type { RunState } from './state.ts';
import type { Reason } from '../../kernel/errors.ts';

/**
 * After this many permanent failures of agents with the same error, and no success between them,
 * launching stops.
 */
export const breakerLimit = 3;

/**
 * An error without what differs between steps: numbers, ids, paths, quoted words. Equal normalised
 * errors count as the same cause.
 */
function normalised({ code, text }: Reason): string {
  const words = text
    .slice(0, 2_000)
    .toLowerCase()
    .replaceAll(/(["'`]).*?\1/g, '…')
    .replaceAll(/\S*[\\/]\S*/g, '…')
    .replaceAll(/\b(?=[0-9a-f-]*\d)[0-9a-f-]{6,}\b/g, '…')
    .replaceAll(/\d+/g, '0')
    .replaceAll(/\s+/g, ' ');
  return `${code} ${words}`.trim();
}

/**
 * Counts an agent step's permanent failure. Scripts and commands do not count: their author chose
 * the exit code, and `on_failure: continue` accounts for it.
 */
export function countFailure(state: RunState, path: StepPath, reason: Reason): void {
  const error = normalised(reason);
  const before = state.breaker?.error === error ? state.breaker.steps : [];
  state.breaker = { error, steps: [...before.filter((each) => each !== path), path] };
}

export function forgetFailures(state: RunState): void {
  state.breaker = null;
}
