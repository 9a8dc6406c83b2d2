import * as z from 'zod';
import type { BranchRule } from '../../workflow/git-work.ts';
import type { Step, Workflow } from '../../workflow/model.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { name, oneOrMore, text } from '../../yaml/schema.ts';
import type { Diagnostics } from '../shared/diagnostics.ts';

const globs = () => oneOrMore(text, 'a branch, a glob, or a list of these');

/** The keys that say on which git branches a workflow may work. */
export const branchKeys = {
  branch: z
    .strictObject({
      expected: globs().optional().describe('Globs: it works only on these branches.'),
      protected: globs().optional().describe('Globs: it never works on these branches.'),
      after: name
        .optional()
        .describe('The step that switches the branch: these rules hold from its end on; default: always.'),
    })
    .meta({ title: 'branch rule' })
    .optional()
    .describe('On which git branches of its workspace its steps may work; default: on any.'),
  create_branch: z
    .boolean({ error: 'true or false' })
    .optional()
    .describe('true: a step switches the branch; like `branch` with `protected: [main, master, release/*]`.'),
  branch_transition_step: name
    .optional()
    .describe('With `create_branch`, the step that does; default: the step `branch`, if there is one.'),
  expected_work_branch: text.optional().describe('Like `branch: { expected: … }`.'),
};

/** The protected branches where a file says only whether a step switches the branch. */
const usuallyProtected = ['main', 'master', 'release/*'];

interface BranchInput {
  readonly branch?:
    | {
        readonly expected?: readonly string[] | undefined;
        readonly protected?: readonly string[] | undefined;
        readonly after?: string | undefined;
      }
    | undefined;
  readonly create_branch?: boolean | undefined;
  readonly branch_transition_step?: string | undefined;
  readonly expected_work_branch?: string | undefined;
}

const others = ['create_branch', 'branch_transition_step', 'expected_work_branch'] as const;

/** The branches on which the steps may work; `{}`: any. Reports a step that there is not. */
export function lowerBranch(
  diagnostics: Diagnostics,
  input: BranchInput,
  steps: readonly Step[],
): Pick<Workflow, 'branch'> {
  const { branch } = input;
  for (const key of others)
    if (branch !== undefined && input[key] !== undefined)
      diagnostics.error(
        'E_WORKFLOW',
        [key],
        `\`${key}\` does nothing beside \`branch\``,
        'remove one of them',
        'key',
      );
  const rule = branch === undefined ? ruleOf(diagnostics, input, steps) : null;
  const after = branch?.after ?? rule?.after ?? null;
  if (after !== null && !steps.some(({ id }) => id === after)) {
    const path = branch === undefined ? ['branch_transition_step'] : ['branch', 'after'];
    const hint = didYouMean(
      after,
      steps.map(({ id }) => id),
    );
    diagnostics.error('E_UNKNOWN_NAME', path, `no step is called \`${after}\``, hint);
  }
  if (branch === undefined) return rule === null ? {} : { branch: rule };
  return { branch: { expected: branch.expected ?? [], forbidden: branch.protected ?? [], after } };
}

/** The rule in the older spelling; null: none. */
function ruleOf(diagnostics: Diagnostics, input: BranchInput, steps: readonly Step[]): BranchRule | null {
  const { create_branch: creates, branch_transition_step: named, expected_work_branch: expected } = input;
  if (named !== undefined && creates !== true)
    diagnostics.warn(
      ['branch_transition_step'],
      '`branch_transition_step` does nothing without `create_branch: true`',
    );
  if (creates === undefined && expected === undefined) return null;
  const usual = steps.some(({ id }) => id === 'branch') ? 'branch' : null;
  return {
    expected: expected === undefined ? [] : [expected],
    forbidden: creates === undefined ? [] : usuallyProtected,
    after: creates === true ? (named ?? usual) : null,
  };
}
