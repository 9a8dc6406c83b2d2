import { evaluate } from '../../expressions/evaluate.ts';
import { referencesOf } from '../../expressions/references.ts';
import type { Tree } from '../../expressions/tree.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { bodyOf } from '../bodies.ts';
import type { Body, Step, Work, Workflow } from '../model.ts';
import { machineLanguage } from './language.ts';
import { isTree } from './rules.ts';

/** The maximum number of iterations of a step's inner steps; null: unknown. */
export function iterationsOf(work: Work): number | null {
  if (work.kind === 'while') return work.maxIterations;
  return work.kind !== 'for-each' ? 1 : isTree(work.items) ? null : work.items.length;
}

/** The workflow with the items of its loops, where they depend on nothing but these parameters. */
export function withItems(workflow: Workflow, parameters: JsonObject): Workflow {
  return { ...workflow, body: bodyWithItems(workflow.body, parameters) };
}

function bodyWithItems(body: Body, parameters: JsonObject): Body {
  const steps = body.steps.map((step): Step => {
    const inner = bodyOf(step.work);
    if (inner === null) return step;
    const work = { ...step.work, body: bodyWithItems(inner, parameters) } as Work;
    if (work.kind !== 'for-each' || !isTree(work.items)) return { ...step, work };
    return { ...step, work: { ...work, items: itemsFor(work.items, parameters) ?? work.items } };
  });
  return { ...body, steps };
}

function itemsFor(tree: Tree, parameters: JsonObject): Json[] | null {
  const reads = referencesOf(tree, machineLanguage);
  if (reads.some(({ path }) => path[0]?.name !== 'parameters')) return null;
  const items = evaluate(tree, { parameters }, machineLanguage, 'value');
  return items.ok && Array.isArray(items.value) ? items.value : null;
}
