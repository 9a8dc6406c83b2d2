import type { Path } from './event.ts';
import type { RunState } from './state.ts';
import type { Reason } from '../../kernel/errors.ts';

/** So many steps of agents that failed for good in the same way, with no success between, stop the launching. */
export const breakerLimit = 3;

/**
 * An error without what differs from one step to the next: numbers, ids, paths, quoted words. Two steps with the same
 * normalised error failed for the same cause, as far as anybody can tell.
 */
export function normalised({ code, text }: Reason): string {
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
 * Notes that an agent's step failed for good. Programs of the definition's author are not counted: their exit code is
 * their own word, and `on_failure: continue` means it.
 */
export function countFailure(state: RunState, path: Path, reason: Reason): void {
  const error = normalised(reason);
  const before = state.breaker?.error === error ? state.breaker.steps : [];
  state.breaker = { error, steps: [...before.filter((each) => each !== path), path] };
}

export function forgetFailures(state: RunState): void {
  state.breaker = null;
}
