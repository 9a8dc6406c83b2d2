import { innerOf } from '../../workflow/bodies.ts';
import { Graph } from '../../workflow/check/body.ts';
import type { Body, Step, Work } from '../../workflow/model.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { Diagnostics } from '../shared/diagnostics.ts';
import { workers } from './kinds.ts';
import type { Lowering } from './lowering.ts';
import type { StepInput } from './step-schema.ts';

/** The git worktree of a step; `{}`: it has none. Reports what contradicts it. */
export function lowerCheckout(
  input: StepInput,
  path: Path,
  { diagnostics, isolated }: Lowering,
): Pick<Step, 'checkout'> {
  const { merge, on_conflict: onConflict, workspace } = input;
  const hasWorker = workers.some((each) => input[each] !== undefined);
  if (merge !== undefined) {
    checkMerge(diagnostics, input, path, hasWorker);
    const merges = diagnostics.from([...path, 'merge'], [...merge]);
    return { checkout: diagnostics.from(path, { per: 'step', merges }) };
  }
  if (onConflict !== undefined)
    diagnostics.warn([...path, 'on_conflict'], '`on_conflict` does nothing without `merge`');
  if (typeof workspace === 'object') return { checkout: { per: 'step', merges: null } };
  if (!isolated || !hasWorker) return {};
  if (workspace !== undefined)
    diagnostics.error(
      'E_WORKFLOW',
      [...path, 'workspace'],
      'a step of this loop works in the git worktree of its item',
      'remove `workspace`, or the `isolation` of the loop',
      'key',
    );
  return { checkout: { per: 'item', merges: null } };
}

function checkMerge(diagnostics: Diagnostics, input: StepInput, path: Path, hasWorker: boolean): void {
  const { on_conflict: onConflict = 'fail', capabilities } = input;
  if (typeof input.workspace === 'string')
    diagnostics.error(
      'E_WORKFLOW',
      [...path, 'workspace'],
      'a step that merges works in a git worktree of its own',
      'remove `workspace`',
      'key',
    );
  if (hasWorker && onConflict === 'fail')
    diagnostics.error(
      'E_WORKFLOW',
      [...path, 'merge'],
      'a worker beside `merge` runs only to resolve a conflict',
      'say `on_conflict: resolve`, or let a step of its own work on the merge',
      'key',
    );
  if (!hasWorker && onConflict === 'resolve')
    diagnostics.error(
      'E_WORKFLOW',
      [...path, 'on_conflict'],
      'nothing in this step can resolve a conflict',
      `give it one of ${workers.map((each) => `\`${each}\``).join(', ')}`,
    );
  const isAgent = hasWorker && input.command === undefined;
  if (isAgent && capabilities !== undefined && !capabilities.includes('EDIT'))
    diagnostics.error(
      'E_CAPABILITY',
      [...path, 'capabilities'],
      'who resolves a conflict must be allowed to edit',
      'add `EDIT`',
    );
}

/** Reports steps that could write the worktree of one item at the same time. */
export function checkShared(diagnostics: Diagnostics, body: Body, path: Path): void {
  if (body.kind === 'sequence') return;
  const graph = new Graph(body.steps);
  const sharing = body.steps.flatMap(({ work, checkout }, index) =>
    checkout?.per === 'item' || sharesInside(work) ? [index] : [],
  );
  for (const [at, one] of sharing.entries())
    for (const other of sharing.slice(0, at)) {
      if (graph.follows(one, other) || graph.follows(other, one)) continue;
      const [later, earlier] = [body.steps[one]!.id, body.steps[other]!.id];
      diagnostics.error(
        'E_WORKFLOW',
        [...path, 'steps', later],
        `\`${earlier}\` and \`${later}\` could write the git worktree of their item at the same time`,
        `let one depend on the other: \`depends_on: [${earlier}]\``,
        'key',
      );
      return;
    }
}

function sharesInside(work: Work): boolean {
  const inner = work.kind === 'workflow' ? null : innerOf(work);
  return (
    inner?.steps.some(({ work: each, checkout }) => checkout?.per === 'item' || sharesInside(each)) === true
  );
}
