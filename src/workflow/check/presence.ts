import { pathOf } from '../../expressions/references.ts';
import type { Template } from '../../expressions/template.ts';
import { nodesOf, type Tree } from '../../expressions/tree.ts';
import { bodyOf } from '../bodies.ts';
import type { Input, Step } from '../model.ts';
import type { Graph } from './body.ts';
import { findName, findStep, isStep, propertyNamed, type Here } from './meaning.ts';
import { field, type At, type CheckReport } from './report.ts';

/** Warns of a required input whose artifact is optional. */
export function checkInputPresence(input: Input, source: Step, graph: Graph, here: Here): void {
  if (!input.required) return;
  const isOptional = source.outputs.find(({ name }) => name === input.artifact)?.required === false;
  const why = isOptional ? 'that output is not required' : absenceOf(source, graph, here);
  if (why !== null)
    warn(
      here.report,
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
  const why = isOptional ? 'that output is not required' : absenceOf(step, found.graph, here);
  if (why !== null) warn(report, { node, span: tree.span }, `\`${name}\` of \`${step.id}\``, why, instead);
}

/** Why a step may have no values where another one reads them; null: it has them. */
function absenceOf({ id, when, onFailure }: Step, graph: Graph, here: Here): string | null {
  const known = conditionsAt(here);
  if (known.some(([each]) => saysSuccess(each, id))) return null;
  const lasting = known.filter(([each, at]) => isLasting(each, at === graph && !isSequence(graph, here)));
  const same = new Set(lasting.map(([each]) => textOf(each)));
  if (when !== null && !bothOf(when).every((each) => isTrueLiteral(each) || same.has(textOf(each))))
    return 'its condition may be false';
  return onFailure === 'continue' || onFailure === 'skip' ? 'the run continues when it fails' : null;
}

/** What is true where a step runs: its conditions, and those of the loops around it. */
function conditionsAt({ place }: Here): [Tree, Graph][] {
  const found: [Tree, Graph][] = [];
  for (let at = place; at !== null; at = at.graph.parent) {
    const { graph, step } = at;
    const when = graph.steps[step]?.when ?? null;
    if (when !== null) found.push(...bothOf(when).map((each): [Tree, Graph] => [each, graph]));
  }
  return found;
}

function isSequence({ parent }: Graph, { report }: Here): boolean {
  const owner = parent?.graph.steps[parent.step];
  return (owner === undefined ? report.workflow.body : bodyOf(owner.work))?.kind === 'sequence';
}

function bothOf(tree: Tree): Tree[] {
  return tree.kind === 'logic' && tree.operator === '&&' ? tree.operands.flatMap(bothOf) : [tree];
}

function isTrueLiteral(tree: Tree): boolean {
  return tree.kind === 'literal' && tree.value === true;
}

/** `steps.a.status == 'SUCCEEDED'` */
function saysSuccess(tree: Tree, id: string): boolean {
  if (tree.kind !== 'comparison' || tree.operator !== '==') return false;
  const sides = [tree.left, tree.right];
  const path = sides.map((side) => pathOf(side)?.map(({ name }) => name)).find((each) => each !== undefined);
  const isSuccess = sides.some((side) => side.kind === 'literal' && side.value === 'SUCCEEDED');
  return isSuccess && path?.join('.') === `steps.${id}.status`;
}

/** Whether a condition stays as it is: parameters do, and in a graph the steps that have ended. */
function isLasting(tree: Tree, isBesideThem: boolean): boolean {
  const names = ['parameters', ...(isBesideThem ? ['steps'] : [])];
  const lasts = (node: Tree) => (node.kind === 'name' ? names.includes(node.name) : node.kind !== 'call');
  return nodesOf(tree).every(lasts);
}

/** The same for the same condition, wherever it is written. */
function textOf(tree: Tree): string {
  return JSON.stringify(tree, (key, value: unknown) =>
    ['span', 'written'].includes(key) ? undefined : value,
  );
}

function warn(report: CheckReport, at: At, what: string, why: string, instead: string): void {
  const hint = `without it the ${report.vocabulary.step} fails: make sure that it is there, or ${instead}`;
  report.add('E_WORKFLOW', 'warning', at, `${what} may be absent, and is required here: ${why}`, hint);
}
