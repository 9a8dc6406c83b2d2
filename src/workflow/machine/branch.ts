import picomatch from 'picomatch';
import type { Reason } from '../../kernel/errors.ts';
import type { BranchRule } from '../git-work.ts';
import { isIn } from './fold/steps.ts';
import type { RunState } from './state.ts';

/** Whether the rule applies already: not before the step that switches the branch is over. */
export function isBranchFixed({ after }: BranchRule, state: RunState): boolean {
  return after === null || isIn(state.steps.get(after), 'settled');
}

/**
 * Why no step may work on a branch; null: one may. `branch`: null when none is checked out, `none`
 * outside a repository.
 */
export function branchProblem(
  { expected, forbidden }: BranchRule,
  found: { readonly branch: string | null } | 'none',
): Reason | null {
  const names = (globs: readonly string[]) => globs.map((glob) => `\`${glob}\``).join(', ');
  const problem = (text: string): Reason => ({ code: 'E_BRANCH', text });
  if (found === 'none') return problem('the workspace is in no git repository, so it is on no branch');
  const { branch } = found;
  if (branch === null) return problem('no branch is checked out in the workspace');
  if (expected.length > 0 && !picomatch([...expected])(branch))
    return problem(`the workspace is on the branch \`${branch}\`, and must be on ${names(expected)}`);
  if (forbidden.length > 0 && picomatch([...forbidden])(branch))
    return problem(`the workspace is on the branch \`${branch}\`, which is protected by ${names(forbidden)}`);
  return null;
}
