import { comparisonsOf, pathOf } from '../../expressions/references.ts';
import type { Comparison, Tree } from '../../expressions/tree.ts';
import { typesOf } from '../../expressions/types.ts';
import { nodesOf } from '../../expressions/tree.ts';
import { typeOf, toNumber } from '../../expressions/values.ts';
import { areEqual } from '../../expressions/compare.ts';
import type { Json } from '../../kernel/json.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { meaningOf, typesOfMeaning, type Here, type Meaning } from './meaning.ts';
import type { At } from './report.ts';
import { withArticle, enumerate } from '../../kernel/enumerate.ts';

/** The statuses that expressions can meet: only those that a step ends in. */
const statuses = ['SUCCEEDED', 'FAILED', 'INCOMPLETE', 'SKIPPED', 'CANCELLED'];

/** Whether the comparisons of an expression can be true, and whether its functions get what they work on. */
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
  const meaning = meaningOf(path, here);
  const at: At = { node, span: literalNode.span };
  if (meaning.is === 'status') return checkStatus(literal, at, here);
  if (meaning.is === 'output') return checkOutput(meaning, { node, span: side.span }, here);
  const { comparing, operator } = comparison;
  const allowed = meaning.is === 'typed' ? meaning.type.enum : null;
  if (allowed !== null && (operator === '==' || operator === '!=')) {
    if (allowed.some((each) => areEqual(each, literal, comparing))) return;
    const words = allowed.map(String);
    const near = typeof literal === 'string' ? didYouMean(literal, words) : null;
    const hint = near ?? `it is one of ${enumerate(words)}`;
    return here.report.expression(at, `\`${sourceOf(path)}\` is never ${shown(literal)}`, hint);
  }
  if (!fits(meaning, literal)) {
    const types = [...(typesOfMeaning(meaning) ?? [])].filter((type) => type !== 'null');
    return here.report.expression(
      at,
      `\`${sourceOf(path)}\` is ${types.map(withArticle).join(' or ')}: comparing it with ${shown(literal)} says nothing`,
    );
  }
  if (meaning.is !== 'typed' || meaning.type.type !== 'string' || typeof literal !== 'string') return;
  if (path[0]?.name?.toLowerCase() !== 'steps') return;
  here.report.doubt(
    at,
    `\`${sourceOf(path)}\` may be any text: it may mean this and be written otherwise`,
    'say which texts there are: `enum: [ … ]` where the value is declared',
  );
}

function sourceOf(path: readonly { readonly name: string | null }[]): string {
  return path.map((each) => each.name ?? '*').join('.');
}

function shown(literal: Json): string {
  return typeof literal === 'string' ? `'${literal}'` : JSON.stringify(literal);
}

function checkStatus(literal: Json, at: At, { report }: Here): void {
  if (typeof literal === 'string' && statuses.includes(literal.toUpperCase())) return;
  const near = typeof literal === 'string' ? didYouMean(literal, statuses) : null;
  report.expression(at, `no step ends as ${shown(literal)}`, near ?? `there is ${enumerate(statuses)}`);
}

/** What an agent wrote is prose: whether it is some very text is a matter of chance. */
function checkOutput({ step }: Extract<Meaning, { is: 'output' }>, at: At, { report }: Here): void {
  if (step.work.kind !== 'agent' && step.work.kind !== 'role') return;
  report.expression(
    at,
    `\`output\` of \`${step.id}\` is what an agent wrote: whether it is this very text is a matter of chance`,
    `declare a value, \`values: { verdict: { type: string, enum: [ … ] } }\`, and compare \`steps.${step.id}.values.verdict\``,
  );
}

/** Whether a literal can be equal to, or have an order with, what a path reads. */
function fits(meaning: Meaning, literal: Json): boolean {
  const types = typesOfMeaning(meaning);
  if (types === null || types.has(typeOf(literal))) return true;
  if (types.has('array') || types.has('object')) return false;
  // Of different types the numbers are compared.
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
    if (call.kind !== 'call') continue;
    const [first] = call.operands;
    const types = wanted[call.name.toLowerCase()];
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
