import { pathOf, referencesOf, type Segment } from '../../expressions/references.ts';
import type { Template } from '../../expressions/template.ts';
import { treesOf } from '../../expressions/template.ts';
import { nodesOf, type Tree } from '../../expressions/tree.ts';
import { typesOf } from '../../expressions/types.ts';
import type { JsonType } from '../../expressions/values.ts';
import { commandWarnings } from '../../expressions/script/command-line.ts';
import { targetsOf } from '../flow.ts';
import type { Check, Step, Work } from '../model.ts';
import { checkComparisons } from './comparisons.ts';
import { meaningOf, typesOfMeaning, type Here } from './meaning.ts';
import { checkReference } from './references.ts';

/**
 * Checks everything that an expression reads and compares. `node`: the part of the model that its
 * text became.
 */
export function checkTree(tree: Tree, node: object, here: Here): void {
  const { written } = here.report.context;
  if (written === null) return checkWritten(tree, node, here);
  for (const part of nodesOf(tree)) {
    const own = written.get(part);
    if (own !== undefined) checkWritten(own, own, here);
  }
}

function checkWritten(tree: Tree, node: object, here: Here): void {
  for (const reference of referencesOf(tree, here.report.context.language))
    checkReference(reference, node, here);
  checkComparisons(tree, node, here);
}

export function checkTemplate(template: Template, here: Here): void {
  for (const tree of treesOf(template)) checkTree(tree, template, here);
}

/** Checks every expression of a step, without those of a loop's inner steps. */
export function checkExpressions(step: Step, here: Here): void {
  const templates: Template[] = [
    ...(step.workspace === null ? [] : [step.workspace.path]),
    ...(step.stdin === null ? [] : [step.stdin]),
    ...(step.stdout === null ? [] : [step.stdout.path]),
    ...Object.values(step.env),
    ...Object.values(step.check?.env ?? {}),
    ...step.outputs.map((output) => output.path),
    ...(step.promptInputs ?? []).map((taken) => taken.source),
    ...(step.choice === undefined ? [] : [step.choice.name]),
  ];
  for (const template of templates) checkTemplate(template, here);
  if (step.when !== null) checkTree(step.when, step.when, here);
  for (const need of step.needs) if (need.when !== null) checkTree(need.when, need.when, here);
  checkWork(step.work, here);
  if (step.check !== null) checkWork(step.check.work, here);
  for (const { target } of targetsOf(step))
    if (target.to === 'fail' && target.message !== null)
      checkTemplate(target.message, { ...here, isDone: true });
}

/** Checks a command line: its expressions, and probable mistakes. */
export function checkCommand(argv: readonly Template[], here: Here): void {
  for (const argument of argv) checkTemplate(argument, here);
  const { report } = here;
  for (const { argument, span, message, hint } of commandWarnings(argv, (tree) => isHarmless(tree, here)))
    report.add(
      span === null ? 'E_WORKFLOW' : 'E_EXPRESSION',
      'warning',
      { node: argv, key: argument, span },
      message,
      hint,
    );
}

/** Whether the value is certainly a number, a boolean, or a status. */
function isHarmless(lowered: Tree, here: Here): boolean {
  const { tree } = here.report.written(lowered, lowered);
  const meant = (path: readonly Segment[]) => meaningOf(path, here);
  const path = pathOf(tree);
  if (path !== null && meant(path).is === 'status') return true;
  const types = typesOf(tree, here.report.context.language, (inner) => typesOfMeaning(meant(inner)));
  return types !== null && !['string', 'array', 'object'].some((type) => types.has(type as JsonType));
}

function checkWork(work: Work | Check['work'], here: Here): void {
  switch (work.kind) {
    case 'agent':
    case 'role':
      return checkTemplate(work.instructions, here);
    case 'script': {
      for (const tree of Object.values(work.script.variables)) checkTree(tree, work.script, here);
      return;
    }
    case 'command':
      return checkCommand(work.argv, here);
    case 'gate':
      return checkTemplate(work.message, here);
    case 'for-each':
      if (!Array.isArray(work.items)) checkTree(work.items as Tree, work.items, here);
      if (work.key !== undefined) {
        const items = new Set([...here.items, 'item', work.as.toLowerCase(), 'loop']);
        checkTemplate(work.key, { ...here, items });
      }
      return;
    case 'while':
      // It is checked with the steps of the loop, which it sees.
      return;
    case 'merge':
    case 'land':
    case 'finally':
      // They hold no expression.
      return;
    case 'assign':
      return Object.values(work.values).forEach((template) => checkTemplate(template, here));
    case 'route':
      for (const { when } of work.ways) if (when !== null) checkTree(when, when, here);
      return;
    case 'fail':
      return checkTemplate(work.message, here);
    case 'workflow':
      return Object.values(work.with).forEach((template) => checkTemplate(template, here));
  }
}
