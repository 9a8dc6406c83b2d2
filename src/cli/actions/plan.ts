import type { Contract } from '../../documents/workflows.ts';
import { formatDuration } from '../../kernel/duration.ts';
import type { Context } from '../context.ts';
import { complainOf } from '../failures.ts';
import { line } from '../format.ts';
import { answer } from '../output.ts';
import { ceilingLines, shownPlan } from '../plan-text.ts';
import { expectDefinition, givenContext, givenParameters, type StartOptions } from '../run-start.ts';
import type { Colours } from '../terminal.ts';
import { openWorkflow } from '../workflow-place.ts';
import type { PlanDocument } from '../../documents/workflows.ts';

type PlanOptions = Pick<StartOptions, 'param' | 'input' | 'context' | 'contextFile' | 'overrides' | 'json'>;

export async function plan(context: Context, reference: string, options: PlanOptions): Promise<number> {
  const { terminal } = context;
  const given = givenContext(context, options);
  const found = await openWorkflow(context, reference, {
    starting: { context: given.names, only: null },
    overrides: options.overrides ?? [],
  });
  const definition = expectDefinition(found);
  const { workflows } = context.place();
  const parameters = await givenParameters(definition, options);
  await given.of(definition);
  const { planDocument } = await import('../../workflow/runs/plan.ts');
  const data = { ...(await workflows.planning()), budget: definition.budget, parameters };
  const { validate } = await import('../../project/definition/validate.ts');
  const { text } = validate([found]);
  const document = planDocument(definition, data, found);
  if (options.json !== true) complainOf(text, terminal);
  const { title } = document;
  return answer(terminal, options, document, () =>
    title === null
      ? planLines(document, terminal.colours)
      : shownPlan(document, `${title} v${definition.version}`, parameters, terminal.colours),
  );
}

function planLines(
  { workflow, batches, contracts, ceiling, assumptions }: PlanDocument,
  colours: Colours,
): string[] {
  const byStep = new Map(contracts.map((contract) => [contract.step, contract]));
  const inner = contracts.filter(({ step }) => step.includes('/'));
  return [
    colours.bold(workflow),
    ...batches.flatMap((batch) => [
      '',
      `Batch ${String(batch.number)}${batch.parallel ? ' (in parallel)' : ''}`,
      ...batch.steps.flatMap((step) => byStep.get(step) ?? []).flatMap(contractLines),
    ]),
    ...(inner.length === 0 ? [] : ['', 'Within loops and sub-workflows', ...inner.flatMap(contractLines)]),
    '',
    ...ceilingLines(ceiling, colours),
    '',
    ...assumptions.map((text) => colours.dim(`(${text})`)),
  ];
}

function agentText({ name, sets }: Contract['agents'][number]): string {
  return sets.length === 0 ? name : `${name}, which sets ${sets.join(', ')}`;
}

/** Who does the step with which permissions, its inputs and required outputs, and how often. */
function contractLines(contract: Contract): string[] {
  const { step, kind, provider, role, model, capabilities, attempts, iterations, items, timeout } = contract;
  const who = role === null ? (provider ?? kind) : `role ${role}`;
  const often = [
    ...(attempts > 1 ? [`${String(attempts)} attempts`] : []),
    ...(iterations > 1 ? [`${String(iterations)} iterations`] : []),
    ...(items === null
      ? ['for each item']
      : items === 1
        ? []
        : [items === 0 ? 'never' : `${String(items)} items`]),
    ...(timeout === null ? [] : [`at most ${formatDuration(timeout)} each`]),
  ];
  const facts = [
    ['needs', contract.needs.join(', ')],
    ['agent', contract.agents.map(agentText).join('; or ')],
    ['worktree', contract.worktree === null ? '' : `of its ${contract.worktree}`],
    ['on', contract.on === null ? '' : ['workers', ...contract.on].join(', ')],
    ['merges', contract.merges.join(', ')],
    ['lands on', contract.lands ?? ''],
    ['permissions', capabilities.join(', ')],
    ['inputs', contract.inputs.join(', ')],
    ['outputs', contract.outputs.join(', ')],
    ['values', contract.values.join(', ')],
    ['approvers', contract.approval?.approvers.join(', ') ?? ''],
    ['choices', contract.approval?.choices.join(', ') ?? ''],
    ['fields', contract.approval?.fields.join(', ') ?? ''],
    ['runs', often.join(', ')],
  ].filter(([, value]) => value !== '');
  return [
    `  ${line(step)}  ${model === null ? who : `${who} (${model})`}`,
    ...facts.map(([name = '', value = '']) => `    ${name.padEnd(13)}${line(value)}`),
  ];
}
