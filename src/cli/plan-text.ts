import { formatDuration } from '../core/duration.ts';
import type { Json } from '../core/json.ts';
import type { Batch, Contract } from '../core/workflow/plan.ts';
import type { PlanDocument } from '../engine/operations/runs/plan.ts';
import { line } from './format.ts';

/** A plan as languages show it that have a way of their own. */
export function shownPlan(
  { batches, contracts, longest, promptTokens, overrides }: PlanDocument,
  title: string,
  parameters: Readonly<Record<string, Json>>,
): string[] {
  const byStep = new Map(contracts.map((contract) => [contract.step, contract]));
  const given = Object.entries(parameters).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const without = contracts.some(({ kind }) => kind === 'GATE') ? ' (excluding approval gates)' : '';
  const time = longest === null ? 'unbounded' : formatDuration(longest);
  return [
    `Workflow: ${line(title)}`,
    ...(given.length === 0 ? [] : [`Parameters: ${line(given.join(', '))}`]),
    ...overrides.flatMap(({ file, changes }) => [
      `Overrides: ${line(file)}${changes.length === 0 ? ' (changes nothing)' : ''}`,
      ...changes.map((change) => `  ${line(change)}`),
    ]),
    '',
    'Execution Plan:',
    ...batches.flatMap((batch) => [...batchLines(batch, byStep), '']),
    `Estimated total time: ${time}${without}`,
    `Estimated token cost: ~${rounded(promptTokens)} tokens`,
    '',
    '(time: the longest path of stage timeouts, each stage run once)',
    '(tokens: what prompts say that is known now, 4 characters each; what agents read and write comes on top)',
  ];
}

function batchLines(batch: Batch, contracts: ReadonlyMap<string, Contract>): string[] {
  const steps = batch.steps.flatMap((step) => contracts.get(step) ?? []);
  return [
    `  Batch ${String(batch.number)} (${mannerOf(batch, steps)}):`,
    ...steps.flatMap(({ step, shown }, index) => [
      ...(index === 0 ? [] : ['']),
      `    [${step}]${shown === null || shown.title === '' ? '' : ` ${line(shown.title)}`}`,
      ...(shown?.facts ?? []).map(([name, text]) => `      ${name}: ${line(text)}`),
    ]),
  ];
}

/** What a batch is, at a glance. */
function mannerOf({ number, parallel }: Batch, steps: readonly Contract[]): string {
  if (steps.every(({ kind }) => kind === 'GATE')) return 'gate';
  const isConditional = ({ shown }: Contract) => shown?.facts.some(([name]) => name === 'Condition') === true;
  if (steps.every(isConditional)) return 'conditional';
  const after = number === 1 ? '' : ` after Batch ${String(number - 1)}`;
  return `${parallel ? 'parallel' : 'sequential'}${after}`;
}

function rounded(tokens: number): string {
  return tokens < 1_000 ? String(tokens) : `${String(Math.round(tokens / 1_000))}K`;
}
