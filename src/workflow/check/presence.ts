import { pathOf } from '../../expressions/references.ts';
import type { Template } from '../../expressions/template.ts';
import type { Tree } from '../../expressions/tree.ts';
import type { Input, Step } from '../model.ts';
import { findName, findStep, isStep, propertyNamed, type Here } from './meaning.ts';
import { field, type At, type CheckReport } from './report.ts';

/** Warns of a required input whose artifact is optional. */
export function checkInputPresence(input: Input, source: Step, report: CheckReport): void {
  if (!input.required) return;
  const isOptional = source.outputs.find(({ name }) => name === input.artifact)?.required === false;
  const why = isOptional ? 'that output is not required' : absenceOf(source);
  if (why !== null)
    warn(
      report,
      field(input, 'required'),
      `the artifact \`${input.artifact}\` of \`${source.id}\``,
      why,
      unrequired,
    );
}

/** The same for an agent's required values. */
export function checkTakenPresence({ promptInputs = [] }: Step, here: Here): void {
  for (const { required, source } of promptInputs) if (required) checkTextPresence(source, here, unrequired);
}

const unrequired = 'do not require it';
const byDefault = 'read it by `default(…)`';

/** Warns of a required string that is only an expression for a step's value that may be absent. */
export function checkTextPresence(source: Template, here: Here, instead = byDefault): void {
  const [only, other] = source;
  if (only?.kind === 'expression' && other === undefined)
    checkValuePresence(only.tree, source, here, instead);
}

/** The same for an expression. `from`: what it is part of; `instead`: the author's alternative. */
export function checkValuePresence(lowered: Tree, from: object, here: Here, instead = byDefault): void {
  const { report } = here;
  const { tree, node } = report.written(lowered, from);
  const path = pathOf(tree);
  if (path === null || !isStep(path, here)) return;
  const found = findStep(path[1]?.name ?? '', here);
  const name = path[3]?.name;
  if (found === null || name == null || propertyNamed(path[2]?.name, here) !== 'values') return;
  const step = found.graph.steps[found.target]!;
  const type = findName(step.values, name);
  if (type === undefined) return;
  const isOptional = !type.required && !('default' in type);
  const why = isOptional ? 'that output is not required' : absenceOf(step);
  if (why !== null) warn(report, { node, span: tree.span }, `\`${name}\` of \`${step.id}\``, why, instead);
}

/** Why a step may have no values when its dependents run; null: it has them. */
function absenceOf({ when, onFailure }: Step): string | null {
  if (when !== null && !(when.kind === 'literal' && when.value === true)) return 'its condition may be false';
  return onFailure === 'continue' || onFailure === 'skip' ? 'the run continues when it fails' : null;
}

function warn(report: CheckReport, at: At, what: string, why: string, instead: string): void {
  const hint = `without it the ${report.vocabulary.step} fails: make sure that it is there, or ${instead}`;
  report.add('E_WORKFLOW', 'warning', at, `${what} may be absent, and is required here: ${why}`, hint);
}
