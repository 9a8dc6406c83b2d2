import type { Reference, Segment } from '../../expressions/references.ts';
import type { ErrorCode } from '../../kernel/errors.ts';
import { withArticle } from '../../kernel/enumerate.ts';
import { ownValue } from '../../kernel/own.ts';
import type { Approval, Step } from '../model.ts';
import type { Graph } from './body.ts';
import { gives, givesText, isInGit, namesIn, valueNames } from './gives.ts';
import {
  approvalTypes,
  findName,
  findStep,
  handsOver,
  isKeyed,
  isNamespace,
  isStep,
  meaningOf,
  ofPrevious,
  propertyNamed,
  typesOfMeaning,
  type Here,
} from './meaning.ts';
import { previousNamespace } from '../reserved.ts';
import { bodyOf } from '../bodies.ts';
import { whole, type At } from './report.ts';

/** Checks that an expression reads what exists: parameters, earlier steps, their values. */
export function checkReference(reference: Reference, node: object, here: Here): void {
  const { path } = reference;
  const at = (segment: Segment): At => ({ node, span: segment.span });
  const previous = ofPrevious(path, here);
  if (previous !== null) return checkPrevious(reference, previous, node);
  const namespace = path[0]?.name?.toLowerCase() ?? '';
  if (here.items.has(namespace) && namespace !== 'loop') return;
  if (!here.report.vocabulary.isTranslated && readsNothing(reference, node, here)) return;
  if (isNamespace(path, 'parameters')) return checkParameter(path, at, here);
  if (isNamespace(path, 'env')) return checkVariable(path, at, here);
  if (isStep(path, here)) return checkStep(reference, node, here);
  checkProperty(path, at, here);
}

function checkProperty([namespace, name]: readonly Segment[], at: Marked, { report, over }: Here): void {
  const { namespaces, ends } = report.vocabulary;
  if (namespace?.name === 'context' && name?.name != null) {
    const names = report.contextNames();
    const minus = names.includes(name.name) ? null : report.meantMinus(name.name, names);
    if (minus !== null)
      report.expressionWarning(at(name), `nothing here sets \`context.${name.name}\``, minus);
  }
  const word = namespace?.name?.toLowerCase() ?? '';
  const always = Object.hasOwn(namespaces, word) ? namespaces[word] : undefined;
  const known = over && word === 'run' ? [...(always ?? []), ...ends] : always;
  if (known === undefined || name?.name == null || known.includes(name.name.toLowerCase())) return;
  report.unknownValue(at(name), `\`${namespace!.name}\` has no \`${name.name}\``, name.name, known);
}

/** The previous iteration has the steps of its loop, which have all ended or were never reached. */
function checkPrevious(
  reference: Reference,
  { path, here }: NonNullable<ReturnType<typeof ofPrevious>>,
  node: object,
): void {
  const { report, place } = here;
  const [namespace, id] = path;
  const at = { node, span: namespace?.span ?? reference.span };
  if (namespace?.name == null || !isNamespace(path, report.vocabulary.steps)) {
    const message = `\`${previousNamespace}\` has only \`${report.vocabulary.steps}\``;
    return report.expression(
      at,
      message,
      `write \`${previousNamespace}.${report.vocabulary.hints.literal}\``,
    );
  }
  if (id?.name != null && place?.graph.named(id.name, true) === null && !report.context.broken.has(id.name)) {
    const message = `no ${report.vocabulary.step} of the loop is called \`${id.name}\``;
    return report.unknown({ node, span: id.span }, message, id.name, place.graph.names());
  }
  checkStep({ ...reference, path }, node, here);
}

/** Reports what is read of a string, a number or a boolean: true if it did. */
function readsNothing({ path, guarded }: Reference, node: object, here: Here): boolean {
  const { report } = here;
  const length = path.findIndex((_, index) => {
    const types = index < 2 ? null : typesOfMeaning(meaningOf(path.slice(0, index), here));
    return types !== null && !types.has('object') && !types.has('array');
  });
  const segment = path[length];
  if (segment === undefined || !isPlaced(segment.span)) return false;
  const { properties, spell, steps, value } = report.vocabulary;
  const [, id, property] = path;
  const values = Object.keys(properties).find((word) => ownValue(properties, word) === 'values');
  const isValue = length === 3 && propertyNamed(property?.name, here) === 'output' && isStep(path, here);
  const hint =
    isValue && values !== undefined
      ? `${withArticle(value)} is \`${spell([steps, id?.name ?? '…', values, segment.name ?? '…'])}\``
      : null;
  const [type] = typesOfMeaning(meaningOf(path.slice(0, length), here)) ?? [];
  const message = `\`${path[length - 1]?.name ?? ''}\` is ${withArticle(type ?? 'string')}: there is nothing in it`;
  report.add(codeOf({ guarded }, here, 'E_EXPRESSION'), 'error', { node, span: segment.span }, message, hint);
  return true;
}

type Marked = (segment: Segment) => At;

function checkParameter([, name]: readonly Segment[], at: Marked, { report }: Here): void {
  if (name?.name == null) return;
  const { parameters } = report.workflow;
  const isBroken = report.context.brokenParameters.has(name.name);
  if (isBroken || findName(parameters, name.name) !== undefined) return;
  const message = `no ${report.vocabulary.parameter} is called \`${name.name}\``;
  report.unknownValue(at(name), message, name.name, Object.keys(parameters));
}

/** Not an error: the caller's environment may set further variables. */
function checkVariable([, name]: readonly Segment[], at: Marked, { report, place }: Here): void {
  if (name?.name == null) return;
  const own = place?.graph.steps[place.step]?.env ?? {};
  if (report.workflow.inherit.includes(name.name)) return;
  const names = { ...report.workflow.env, ...own };
  if (findName(names, name.name) !== undefined) return;
  report.expressionWarning(
    at(name),
    `\`env\` of this workflow does not name \`${name.name}\``,
    report.vocabulary.hints.env,
  );
}

/**
 * The error code for a reference to a step. If its author handles absence, only names can be wrong.
 */
function codeOf({ guarded }: Pick<Reference, 'guarded'>, { report }: Here, usual: ErrorCode): ErrorCode {
  return guarded ? usual : (report.vocabulary.absent ?? usual);
}

function checkStep(reference: Reference, node: object, here: Here): void {
  const { path, span } = reference;
  const { report } = here;
  const { step: word, hints } = report.vocabulary;
  const [, id, property] = path;
  // It has no position of its own: its parts are checked where they are.
  if (!isPlaced(span) && !reference.guarded) return;
  if (id?.name == null)
    return report.expression(
      { node, span: id?.span ?? span },
      `the id of the ${word} is computed here`,
      `write the ${word} id literally: \`${hints.literal}\``,
    );
  const at: At = isPlaced(span) ? { node, span: id.span } : whole(node);
  const found = findStep(id.name, here);
  if (found === null) return unknownStep(id.name, at, reference, here);
  checkOrder(found, at, reference, here);
  if (property?.name == null) {
    if (hints.whole !== null && property === undefined && isPlaced(span))
      report.add(codeOf(reference, here, 'E_EXPRESSION'), 'error', at, wholeStep(word), hints.whole);
    return;
  }
  if (isPlaced(span)) checkInStep(found.graph.steps[found.target]!, reference, node, here);
}

function isPlaced({ start, end }: Reference['span']): boolean {
  return end > start;
}

function wholeStep(word: string): string {
  return `an expression cannot read a whole ${word}`;
}

/**
 * Whether a step has ended when it is read. In a sequence this is a warning, unless the language
 * refuses absent values.
 */
function checkOrder(
  { graph, from, target }: NonNullable<ReturnType<typeof findStep>>,
  at: At,
  reference: Reference,
  here: Here,
): void {
  if (here.isDone && from === target) return;
  const { report } = here;
  const { hints } = report.vocabulary;
  graph.ask(from, target, () => {
    const [owner, read] = [graph.steps[from]!, graph.steps[target]!];
    const isSequence = owner.next !== null;
    const isLater = !isSequence && owner !== read && graph.follows(target, from);
    const message =
      owner === read
        ? `\`${owner.id}\` cannot read what it has not done yet`
        : `\`${read.id}\` ${isSequence ? 'never comes before' : isLater ? 'comes after' : 'does not come before'} \`${owner.id}\``;
    const isNeeded = !reference.guarded && report.vocabulary.absent !== null;
    if (isSequence && !isNeeded)
      return report.add('E_WORKFLOW', 'warning', at, `${message}: there is nothing to read`, null);
    const hint =
      owner === read || isSequence
        ? null
        : isLater
          ? hints.later(owner.id, isRound(graph))
          : hints.order(owner.id, read.id);
    report.add(codeOf(reference, here, 'E_EXPRESSION'), 'error', at, message, hint);
  });
}

function isRound({ parent }: Pick<Graph, 'parent'>): boolean {
  return parent?.graph.steps[parent.step]?.work.kind === 'while';
}

function unknownStep(name: string, at: At, reference: Reference, here: Here): void {
  const { report, place } = here;
  const { step: word, hints } = report.vocabulary;
  if (report.context.broken.has(name)) return;
  if (place === null) {
    const message = `no ${word} has run yet where this stands`;
    return report.add(codeOf(reference, here, 'E_EXPRESSION'), 'error', at, message, null);
  }
  if (report.runsLast(name) && !here.over) return report.unknownStep(at, '', name, []);
  const loop = report.loopOf(name);
  if (loop != null) {
    const isLast = report.runsLast(loop) && report.loopOf(loop) === null;
    const message = `\`${name}\` is a ${word} of ${isLast ? '' : 'the loop '}\`${loop}\`, and not seen outside of it`;
    const code = codeOf(reference, here, 'E_EXPRESSION');
    return report.add(code, 'error', at, message, isLast ? null : hints.afterLoop(loop));
  }
  const known: string[] = [];
  for (let outer: Here['place'] = place; outer !== null; outer = outer.graph.parent)
    known.push(...outer.graph.names());
  const code = codeOf(reference, here, 'E_UNKNOWN_NAME');
  report.unknown(at, `no ${word} is called \`${name}\``, name, known, code);
}

function checkInStep(step: Step, reference: Reference, node: object, here: Here): void {
  const { report } = here;
  const { step: kind, value, properties, spell, steps } = report.vocabulary;
  const [, , property, name] = reference.path;
  if (property?.name == null) return;
  const at = (segment: Segment): At => ({ node, span: segment.span });
  const code = codeOf(reference, here, 'E_UNKNOWN_NAME');
  const known = propertyNamed(property.name, here);
  if (known === undefined) {
    const message = `a ${kind} has no \`${property.name}\``;
    const words = Object.keys(properties);
    const values = words.find((word) => ownValue(properties, word) === 'values');
    if (values !== undefined && property.name.toLowerCase() === 'outputs') {
      const path = spell([steps, step.id, values, name?.name ?? '…']);
      const hint = `declare it under \`values\`, and read \`${path}\``;
      return report.add(code, 'error', at(property), message, hint);
    }
    if (values === undefined || findName(step.values, property.name) === undefined)
      return report.unknownValue(at(property), message, property.name, words, code);
    const hint = `it is ${withArticle(value)}: \`${spell([steps, step.id, values, property.name])}\``;
    return report.add(code, 'error', at(property), message, hint);
  }
  if (report.context.broken.has(step.id)) return;
  if (!gives(step, known)) {
    const message = `\`${step.id}\` has no \`${property.name}\``;
    const hint =
      known === 'approval'
        ? 'only a gate has it'
        : isInGit(known) && handsOver(step)
          ? `\`workspace: { worktree: step }\` gives \`${step.id}\` a git worktree`
          : givesText(step, report.vocabulary);
    return report.add(code, 'error', at(property), message, hint);
  }
  if (known === 'values' && bodyOf(step.work) !== null) checkIteration(step, reference, at, here);
  if (name?.name == null || isKeyed(step)) return;
  if (known === 'errors') return checkIndex(step, reference.path, at, report);
  if (known === 'values' || known === 'approval') return checkValue(step, reference.path, at, report);
  if (known !== 'artifacts') return;
  if (bodyOf(step.work) !== null) return checkIndex(step, reference.path, at, report);
  const artifacts = artifactsOf(step);
  if (artifacts.some((each) => each.toUpperCase() === name.name?.toUpperCase())) return;
  report.unknown(at(name), `\`${step.id}\` has no artifact \`${name.name}\``, name.name, artifacts);
}

function checkValue(step: Step, path: readonly Segment[], at: Marked, report: Here['report']): void {
  const [, , , name, inner] = path;
  const names = valueNames(step);
  if (names === null) return checkIndex(step, path, at, report);
  if (!names.some((each) => each.toUpperCase() === name!.name!.toUpperCase())) {
    const message = `\`${step.id}\` has no ${report.vocabulary.value} \`${name!.name}\``;
    return report.unknownValue(at(name!), message, name!.name!, names);
  }
  const { work } = step;
  const types = work.kind === 'gate' ? approvalTypes(work) : handsOver(step) ? step.values : {};
  const type = findName(types, name!.name!);
  if (type === undefined || inner === undefined) return;
  if (work.kind === 'gate' && type.type === 'object') checkField(step.id, work, inner, at, report);
}

/** What an iteration hands on: the values of its steps, by their names and by step. */
function checkIteration(loop: Step, reference: Reference, at: Marked, here: Here): void {
  const { report } = here;
  const [, , , , name, inner] = reference.path;
  const body = bodyOf(loop.work);
  if (name?.name == null || body === null) return;
  const only = loop.work.kind === 'for-each' ? loop.work.gives : undefined;
  const given = body.steps.find(({ id }) => id === (only ?? name.name));
  const code = codeOf(reference, here, 'E_UNKNOWN_NAME');
  const check = (of: string, segment: Segment, names: readonly string[] | null): void => {
    const isKnown = names?.some((each) => each.toUpperCase() === segment.name?.toUpperCase());
    if (segment.name === null || isKnown !== false) return;
    const message = `\`${of}\` has no ${report.vocabulary.value} \`${segment.name}\``;
    report.unknownValue(at(segment), message, segment.name, names ?? [], code);
  };
  if (only !== undefined) return check(only, name, given ? valueNames(given) : null);
  const own = given && valueNames(given);
  if (inner !== undefined && given && own != null) return check(given.id, inner, own);
  if (given === undefined) check(loop.id, name, [...namesIn(body)]);
}

function checkField(
  gate: string,
  { fields }: Approval,
  inner: Segment,
  at: Marked,
  report: Here['report'],
): void {
  if (inner.name === null || findName(fields, inner.name) !== undefined) return;
  const message = `\`${gate}\` asks for no field \`${inner.name}\``;
  report.unknownValue(at(inner), message, inner.name, Object.keys(fields));
}

/** What a loop hands on is a list. */
function checkIndex(
  step: Step,
  [, , property, name]: readonly Segment[],
  at: Marked,
  report: Here['report'],
): void {
  if (/^\d+$/.test(name!.name!)) return;
  const message = `\`${property!.name}\` of \`${step.id}\` is a list`;
  report.expression(at(name!), message, givesText(step, report.vocabulary));
}

/** The artifacts of a step that others can use; those of a loop are what its steps make. */
export function artifactsOf({ work, outputs }: Step): readonly string[] {
  if (work.kind === 'workflow') return work.exports.map((each) => each.as);
  const body = bodyOf(work);
  if (body === null) return outputs.map((output) => output.name);
  const only = work.kind === 'for-each' ? work.gives : undefined;
  return body.steps.filter(({ id }) => only === undefined || id === only).flatMap(artifactsOf);
}
