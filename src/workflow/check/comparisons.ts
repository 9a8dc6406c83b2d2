import { comparisonsOf, pathOf, type Segment } from '../../expressions/references.ts';
import { operandProblem } from '../../expressions/arithmetic.ts';
import type { Arithmetic, Comparison, Tree } from '../../expressions/tree.ts';
import { typesOf } from '../../expressions/types.ts';
import { nodesOf } from '../../expressions/tree.ts';
import { typeOf, toNumber } from '../../expressions/values.ts';
import { areEqual } from '../../expressions/compare.ts';
import type { Json } from '../../kernel/json.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { rejecting } from '../reserved.ts';
import { findStep, isStep, meaningOf, typesOfMeaning, type Here, type Meaning } from './meaning.ts';
import type { Graph } from './body.ts';
import { whole, type At } from './report.ts';
import { withArticle, enumerate } from '../../kernel/enumerate.ts';
import { ownValue } from '../../kernel/own.ts';

/**
 * Checks that comparisons of an expression can be true, and that functions get suitable arguments.
 */
export function checkComparisons(tree: Tree, node: object, here: Here): void {
  for (const comparison of comparisonsOf(tree)) {
    const { left, right } = comparison;
    if (left.kind === 'literal') check(comparison, right, left.value, left, node, here);
    else if (right.kind === 'literal') check(comparison, left, right.value, right, node, here);
  }
  checkArguments(tree, node, here);
}

function check(
  comparison: Comparison,
  side: Tree,
  literal: Json,
  literalNode: Tree,
  node: object,
  here: Here,
): void {
  const path = pathOf(side);
  if (path === null || literal === null) return;
  const { report } = here;
  const { spell, hints, statuses } = report.vocabulary;
  const meaning = meaningOf(path, here);
  const { start, end } = literalNode.span;
  const at: At = end > start ? { node, span: literalNode.span } : whole(node);
  if (meaning.is === 'output') return checkOutput(meaning, { node, span: side.span }, here);
  const { comparing, operator } = comparison;
  const source = `\`${spell(path.map((each) => each.name ?? '*'))}\``;
  const allowed = meaning.is === 'status' ? statuses : meaning.is === 'typed' ? meaning.type.enum : null;
  if (allowed !== null && (meaning.is === 'status' || operator === '==' || operator === '!=')) {
    if (!allowed.some((each) => areEqual(each, literal, comparing))) {
      const words = allowed.map(String);
      const near = typeof literal === 'string' ? didYouMean(literal, words) : null;
      const hint = near ?? `it is one of ${enumerate(words)}`;
      report.expression(at, `${source} is never ${shown(literal)}`, hint);
    } else if (meaning.is === 'status') checkFailure(meaning, literal, at, here);
    else if (literal === rejecting) checkRejection(path, at, here);
    return;
  }
  if (!fits(meaning, literal)) {
    const types = [...(typesOfMeaning(meaning) ?? [])].filter((type) => type !== 'null');
    const what = types.map(withArticle).join(' or ');
    return report.expression(at, `${source} is ${what} and cannot be compared with ${shown(literal)}`);
  }
  if (meaning.is !== 'typed' || meaning.type.type !== 'string' || typeof literal !== 'string') return;
  if (hints.enums === null || !isStep(path, here)) return;
  report.expressionWarning(
    at,
    `${source} may be any text: it may mean this and be written otherwise`,
    hints.enums,
  );
}

function shown(literal: Json): string {
  return typeof literal === 'string' ? `'${literal}'` : JSON.stringify(literal);
}

/** Warns of a failure that ends what would observe it. */
function checkFailure(
  { step, graph }: Extract<Meaning, { is: 'status' }>,
  literal: Json,
  at: At,
  { report, place, over }: Here,
): void {
  const { failures, hints } = report.vocabulary;
  const isFailure = failures.some((word) => areEqual(word, literal, report.context.language.comparing));
  if (!isFailure || over || place === null || place.step === -1) return;
  if (step.work.kind === 'gate' || step.next !== null || step.onFailure === 'continue') return;
  if (step.onFailure === 'skip-dependents' && isClosedSeen(place.graph)) return;
  const what = {
    'skip-dependents': 'skips its dependents',
    skip: 'counts as skipped',
    abort: graph.parent === null ? 'ends the run' : 'ends its loop',
  };
  const { onFailure } = step;
  const ends = onFailure === 'skip' || onFailure === 'skip-dependents' ? what[onFailure] : what.abort;
  report.expressionWarning(
    at,
    `\`${step.id}\` ${ends} when it fails, so nothing here ever sees it as ${shown(literal)}`,
    `give \`${step.id}\` \`${hints.continues}\``,
  );
}

/** Whether a step of the graph may run after one that skips its dependents. */
function isClosedSeen({ steps }: Graph): boolean {
  return steps.some(({ join }) => join === 'all_done' || join === 'one_success');
}

/** Warns of a rejection that skips what would observe it. */
function checkRejection(path: readonly Segment[], at: At, here: Here): void {
  const { report, place, over } = here;
  if (over || place === null || place.step === -1 || !isStep(path, here)) return;
  const found = findStep(path[1]?.name ?? '', here);
  const step = found?.graph.steps[found.target];
  if (step?.work.kind !== 'gate' || step.next !== null || path.length !== 4) return;
  if (isClosedSeen(place.graph)) return;
  report.expressionWarning(
    at,
    `\`${step.id}\` skips its dependents when it is rejected, so nothing here ever sees it as '${rejecting}'`,
    'compare with the other choices; another choice than `reject` lets the run continue',
  );
}

/** An agent's output is prose: an exact match is a matter of chance. */
function checkOutput({ step }: Extract<Meaning, { is: 'output' }>, at: At, { report }: Here): void {
  if (report.vocabulary.hints.enums === null) return;
  if (step.work.kind !== 'agent' && step.work.kind !== 'role') return;
  report.expression(
    at,
    `\`output\` of \`${step.id}\` is what an agent wrote: whether it is this very text is a matter of chance`,
    `declare a value, \`values: { verdict: { type: string, enum: [ … ] } }\`, and compare \`steps.${step.id}.values.verdict\``,
  );
}

/** Whether a literal can be equal to, or ordered with, what a path reads. */
function fits(meaning: Meaning, literal: Json): boolean {
  const types = typesOfMeaning(meaning);
  if (types === null || types.has(typeOf(literal))) return true;
  if (types.has('array') || types.has('object')) return false;
  // Values of different types are compared as numbers.
  const isNumber = !Number.isNaN(toNumber(literal));
  return isNumber && (types.has('number') || types.has('string') || typeof literal !== 'string');
}

const wanted: Readonly<Record<string, readonly string[]>> = {
  fromjson: ['string'],
  length: ['string', 'array', 'object', 'null'],
};

function checkArguments(tree: Tree, node: object, here: Here): void {
  const { language } = here.report.context;
  for (const call of nodesOf(tree)) {
    if (call.kind === 'arithmetic') checkOperands(call, node, here);
    if (call.kind !== 'call') continue;
    const [first] = call.operands;
    const types = ownValue(wanted, call.name.toLowerCase());
    if (first === undefined || types === undefined) continue;
    const given = typesOf(first, language, (path) => typesOfMeaning(meaningOf(path, here)));
    if (given === null || given.size === 0 || [...given].some((type) => types.includes(type))) continue;
    const hint =
      call.name.toLowerCase() === 'fromjson' ? 'it is a value already: leave `fromJSON` out' : null;
    here.report.expression(
      { node, span: first.span },
      `\`${call.name}\` cannot work with ${[...given].map(withArticle).join(' or ')}`,
      hint,
    );
  }
}

function checkOperands({ operator, left, right }: Arithmetic, node: object, here: Here): void {
  for (const operand of [left, right]) {
    const given = typesOf(operand, here.report.context.language, (path) =>
      typesOfMeaning(meaningOf(path, here)),
    );
    const [type] = given ?? [];
    if (given === null || type === undefined || given.has('number')) continue;
    here.report.expression({ node, span: operand.span }, ...operandProblem(operator, type));
  }
}
