import { MailroomError } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { withItems } from '../machine/iterations.ts';
import type { Workflow } from '../model.ts';
import { planOf, type PlanData } from '../machine/plan.ts';
import { compile } from '../machine/rules.ts';
import { diagnosticDocument } from '../../project/definition/problems.ts';
import type { FoundWorkflow } from '../../project/definition/contracts.ts';
import type { Contract, PlanDocument } from '../../documents/workflows.ts';

/** What a plan needs besides the definition and its budget. */
export type Planning = Omit<PlanData, 'budget'> & {
  /** What each call of a step's agent reads besides the prompt, in words; null: it has no agent. */
  readonly overheadOf: (step: Pick<Contract, 'provider' | 'role'>) => string | null;
};

/** The same of a run, with its parameters and their defaults. */
type RunData = PlanData & { readonly parameters: JsonObject };

export function planDocument(
  definition: Workflow,
  { overheadOf, parameters, ...data }: RunData & Partial<Pick<Planning, 'overheadOf'>>,
  { checked, promptContexts }: Pick<FoundWorkflow, 'checked' | 'promptContexts'>,
): PlanDocument {
  const { name, language, display } = definition;
  const { title = null, overrides = [] } = display ?? {};
  const plan = planOf(compile(withItems(definition, parameters)), data);
  const overheads = new Set(plan.contracts.flatMap((step) => overheadOf?.(step) ?? []));
  return {
    schema: 1,
    workflow: name,
    language,
    title,
    overrides,
    ...plan,
    assumptions: [...plan.assumptions, ...overheads],
    promptContexts: promptContexts(),
    warnings: (checked.ok ? checked.warnings : []).map(diagnosticDocument),
  };
}

/**
 * Throws `E_BUDGET` where the worst case costs more than this many dollars, or its cost is unknown.
 */
export function refuseAbove(maxUsd: number, definition: Workflow, data: RunData): void {
  const { ceiling } = planOf(compile(withItems(definition, data.parameters)), data);
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
