import { MailroomError } from '../../kernel/errors.ts';
import type { Workflow } from '../model.ts';
import { planOf, type PlanData } from '../machine/plan.ts';
import { compile } from '../machine/rules.ts';
import { diagnosticDocument } from '../../project/definition/problems.ts';
import type { FoundWorkflow } from '../../project/definition/contracts.ts';
import type { PlanDocument } from '../../documents/workflows.ts';

export function planDocument(
  definition: Workflow,
  data: PlanData,
  { checked, promptContexts }: Pick<FoundWorkflow, 'checked' | 'promptContexts'>,
): PlanDocument {
  const { name, language, display } = definition;
  const { title = null, overrides = [] } = display ?? {};
  return {
    schema: 1,
    workflow: name,
    language,
    title,
    overrides,
    ...planOf(compile(definition), data),
    promptContexts: promptContexts(),
    warnings: (checked.ok ? checked.warnings : []).map(diagnosticDocument),
  };
}

/**
 * Throws `E_BUDGET` where the worst case costs more than this many dollars, or its cost is unknown.
 */
export function refuseAbove(maxUsd: number, definition: Workflow, data: PlanData): void {
  const { ceiling } = planOf(compile(definition), data);
  const limit = data.budget.usd;
  const worst = Math.min(ceiling.usd ?? Infinity, limit ?? Infinity);
  if (worst <= maxUsd) return;
  const why = ceiling.unbounded.find(({ what }) => what === 'usd');
  const cost = Number.isFinite(worst)
    ? `it may cost up to $${worst.toFixed(2)}`
    : `its maximum cost is unknown${why === undefined ? '' : `: ${why.step}: ${why.why}`}`;
  throw new MailroomError(
    'E_BUDGET',
    `${definition.name} is not started: ${cost}, and --max-usd is $${maxUsd.toFixed(2)}`,
    '`mailroom plan` shows the worst case; `--budget usd=N` or `budget:` limits it',
  );
}
