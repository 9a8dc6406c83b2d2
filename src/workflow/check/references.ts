import type { Reference, Segment } from '../../expressions/references.ts';
import type { Step } from '../model.ts';
import { findName, findStep, handsOver, isNamespace, stepProperties, type Here } from './meaning.ts';
import { givesText, propertiesOf, valueNames } from './gives.ts';
import type { Graph } from './body.ts';
import type { At } from './report.ts';
import { withArticle } from '../../kernel/enumerate.ts';

/** Whether what an expression reads is there: parameters, earlier steps, what they hand over. */
export function checkReference(reference: Reference, node: object, here: Here): void {
  const { path } = reference;
  const at = (segment: Segment): At => ({ node, span: segment.span });
  const namespace = path[0]?.name?.toLowerCase() ?? '';
  if (here.items.has(namespace) && namespace !== 'loop') return;
  if (isNamespace(path, 'parameters')) return checkParameter(path, at, here);
  if (isNamespace(path, 'env')) return checkVariable(path, at, here);
  if (isNamespace(path, 'steps')) return checkStep(reference, node, here);
  checkProperty(path, at, here);
}

/** What the namespaces have that are the same in every run. */
const properties: Readonly<Record<string, readonly string[]>> = {
  run: ['id', 'root', 'started_at'],
  workflow: ['name', 'version'],
  loop: ['index', 'total', 'first', 'last', 'iteration', 'elapsed'],
};

/** What hooks of the end know of the run besides. */
const ends = ['status', 'reason', 'cost', 'failed'];

function checkProperty([namespace, name]: readonly Segment[], at: Marked, { report, over }: Here): void {
  const always = properties[namespace?.name?.toLowerCase() ?? ''];
  const known = over && namespace?.name?.toLowerCase() === 'run' ? [...(always ?? []), ...ends] : always;
  if (known === undefined || name?.name == null || known.includes(name.name.toLowerCase())) return;
  report.unknown(at(name), `\`${namespace!.name}\` has no \`${name.name}\``, name.name, known);
}

type Marked = (segment: Segment) => At;

function checkParameter([, name]: readonly Segment[], at: Marked, { report }: Here): void {
  if (name?.name == null) return;
  const { parameters } = report.workflow;
  const isBroken = report.context.brokenParameters.has(name.name);
  if (isBroken || findName(parameters, name.name) !== undefined) return;
  report.unknown(at(name), `no parameter is called \`${name.name}\``, name.name, Object.keys(parameters));
}

/** Not an error: where a run is started, variables of that place may be given as well. */
function checkVariable([, name]: readonly Segment[], at: Marked, { report, place }: Here): void {
  if (name?.name == null) return;
  const own = place?.graph.steps[place.step]?.env ?? {};
  if (report.workflow.inherit.includes(name.name)) return;
  const names = { ...report.workflow.env, ...own };
  if (findName(names, name.name) !== undefined) return;
  report.doubt(
    at(name),
    `\`env\` of this workflow does not name \`${name.name}\``,
    'what is not there has no value: name it under `env`, or make it a parameter',
  );
}

function checkStep({ path, span }: Reference, node: object, here: Here): void {
  const { report, place } = here;
  const [, id] = path;
  if (id?.name == null) {
    const hint = 'write the id of the step: `steps.build.status`';
    return report.expression(
      { node, span: id?.span ?? span },
      'which step is meant must be told literally',
      hint,
    );
  }
  const at: At = { node, span: id.span };
  const found = findStep(id.name, place);
  if (found === null) return unknownStep(id.name, at, here);
  const target = found.graph.steps[found.target]!;
  found.graph.ask(found.from, found.target, () => {
    const owner = found.graph.steps[found.from]!;
    if (owner === target)
      return report.expression(at, `\`${owner.id}\` cannot read what it has not done yet`);
    const isLater = found.graph.follows(found.target, found.from);
    report.expression(
      at,
      `\`${target.id}\` ${isLater ? 'comes after' : 'does not come before'} \`${owner.id}\``,
      isLater
        ? fromLater(owner, found.graph)
        : `let \`${owner.id}\` depend on it: \`depends_on: [${target.id}]\``,
    );
  });
  // What a language reads for itself has no place in the text, and says what holds instead.
  if (span.start === span.end) return;
  checkInStep(target, path, node, here);
}

/** What hands the result of a later step to an earlier one. */
function fromLater({ id }: Step, { parent }: Pick<Graph, 'parent'>): string {
  const isRound = parent?.graph.steps[parent.step]?.work.kind === 'while';
  return isRound
    ? `a step with \`set\` after it hands it to \`${id}\` of the next round, as \`context.…\``
    : 'exchange the two, or read something else';
}

function unknownStep(name: string, at: At, { report, place }: Here): void {
  if (report.context.broken.has(name)) return;
  if (place === null) return report.expression(at, 'no step has run yet where this stands');
  const known: string[] = [];
  for (let here: Here['place'] = place; here !== null; here = here.graph.parent)
    known.push(...here.graph.names());
  report.unknown(at, `no step is called \`${name}\``, name, known);
}

function checkInStep(step: Step, path: readonly Segment[], node: object, { report }: Here): void {
  const [, , property, name] = path;
  if (property?.name == null) return;
  const at = (segment: Segment): At => ({ node, span: segment.span });
  const known = stepProperties.find((each) => each === property.name?.toLowerCase());
  if (known === undefined) {
    const isValue = findName(step.values, property.name) !== undefined;
    if (!isValue)
      return report.unknown(
        at(property),
        `a step has no \`${property.name}\``,
        property.name,
        stepProperties,
      );
    const hint = `it is a value: \`steps.${step.id}.values.${property.name}\``;
    return report.add('E_UNKNOWN_NAME', 'error', at(property), `a step has no \`${property.name}\``, hint);
  }
  if (report.context.broken.has(step.id)) return;
  if (!propertiesOf(step).includes(known))
    return report.add(
      'E_UNKNOWN_NAME',
      'error',
      at(property),
      `\`${step.id}\` has no \`${known}\``,
      givesText(step),
    );
  if (name?.name == null) return;
  if (known === 'values') return checkValue(step, path, at, report);
  if (known !== 'artifacts') return;
  const artifacts = artifactsOf(step);
  if (artifacts.some((each) => each.toUpperCase() === name.name?.toUpperCase())) return;
  report.unknown(at(name), `\`${step.id}\` has no artifact \`${name.name}\``, name.name, artifacts);
}

function checkValue(step: Step, path: readonly Segment[], at: Marked, report: Here['report']): void {
  const [, , , name, inner] = path;
  const names = valueNames(step);
  if (names === null && !/^\d+$/.test(name!.name!))
    return report.expression(at(name!), `\`values\` of \`${step.id}\` is a list`, givesText(step));
  if (names === null) return;
  if (!names.some((each) => each.toUpperCase() === name!.name!.toUpperCase())) {
    const message = `\`${step.id}\` hands over no value \`${name!.name}\``;
    return report.unknown(at(name!), message, name!.name!, names);
  }
  const type = findName(step.values, name!.name!);
  if (type === undefined || !handsOver(step)) return;
  if (inner !== undefined && !['array', 'object', 'any'].includes(type.type))
    report.expression(at(inner), `\`${name!.name}\` is ${withArticle(type.type)}: there is nothing in it`);
}

/** The artifacts that others can have of a step: those of the steps in a loop stay in it. */
export function artifactsOf(step: Step): readonly string[] {
  if (step.work.kind === 'workflow') return step.work.exports.map((each) => each.as);
  return step.outputs.map((output) => output.name);
}
