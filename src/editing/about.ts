import { formatDuration } from '../kernel/duration.ts';
import type { Workflow } from '../workflow/model.ts';
import { planOf } from '../workflow/machine/plan.ts';
import { compile } from '../workflow/machine/rules.ts';
import { EditableText, isCollection } from '../yaml/edit/tree.ts';
import { descriptionAt } from '../yaml/shape.ts';
import type { Grammar } from './grammar.ts';

/** The description of the key at an offset, with the range of the key; null: there is none. */
export function keyAt(
  text: string,
  offset: number,
  { schema }: Grammar,
): { readonly text: string; readonly from: number; readonly to: number } | null {
  const bom = text.startsWith('\ufeff') ? 1 : 0;
  const tree = new EditableText(text.slice(bom));
  const at = offset - bom;
  let node = tree.root;
  const path: (string | number)[] = [];
  while (isCollection(node)) {
    const slots = tree.slotsOf(node);
    const index = slots.findLastIndex(({ start }) => start <= at);
    const slot = slots[index];
    if (slot === undefined) return null;
    path.push(slot.name ?? index);
    const [from, to] = slot.key?.range ?? [0, -1];
    if (from <= at && at <= to) {
      const description = descriptionAt(schema, path);
      return description === null ? null : { text: description, from: from + bom, to: to + bom };
    }
    node = slot.value;
  }
  return null;
}

/** What the plan says of a step, as Markdown; null: the workflow has no such step. */
export function planned(workflow: Workflow, name: string): string | null {
  const unknown = { usd: null, tokens: null, price: null };
  const plan = planOf(compile(workflow), { estimate: () => unknown, budget: workflow.budget, slots: 1 });
  const contract = plan.contracts.find(({ step }) => step === name || step.endsWith(`/${name}`));
  if (contract === undefined) return null;
  const { kind, provider, role, model, capabilities, needs, timeout, attempts, iterations, outputs } =
    contract;
  const batch = plan.batches.find(({ steps }) => steps.includes(contract.step));
  const who = role ?? provider;
  const values = [...outputs, ...contract.values];
  const lines = [
    `**${name}**: ${kind}${who === null ? '' : ` by ${who}`}${model === null ? '' : `, ${model}`}`,
    ...(batch === undefined
      ? []
      : [`Batch ${batch.number} of ${plan.batches.length}${batch.parallel ? ', in parallel' : ''}`]),
    ...(needs.length === 0 ? [] : [`Waits for ${needs.join(', ')}`]),
    ...(capabilities.length === 0 ? [] : [`May ${capabilities.join(', ')}`]),
    ...(values.length === 0 ? [] : [`Hands over ${values.join(', ')}`]),
    `${timeout === null ? 'No timeout' : `Timeout ${formatDuration(timeout)}`}, attempts: at most ${attempts * iterations}`,
  ];
  return lines.join('  \n');
}
