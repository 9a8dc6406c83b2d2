import { at, call, compare, literal, logic, not, orNull, path as pathTree } from '../../expressions/build.ts';
import { patternProblem } from '../../expressions/machine-functions.ts';
import { pathOf } from '../../expressions/references.ts';
import { nodesOf, type Literal, type Tree } from '../../expressions/tree.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { Lowering } from './lowering.ts';
import { checkPath } from './paths.ts';
import type { ConditionInput } from './schema.ts';
import { lowerValue } from './variables.ts';

type Key = keyof ConditionInput;
type Lower<K extends Key> = (input: NonNullable<ConditionInput[K]>, path: Path, lowering: Lowering) => Tree;

/** A condition as one expression: all of its keys must hold. */
export function lowerCondition(input: ConditionInput, path: Path, lowering: Lowering): Tree {
  const trees = (Object.keys(input) as Key[]).flatMap((key) => {
    const lower = lowerings[key] as (value: unknown, at: Path, lowering: Lowering) => Tree;
    return input[key] === undefined ? [] : lower(input[key], [...path, key], lowering);
  });
  return lowering.diagnostics.from(path, logic('&&', trees));
}

const lowerings: { readonly [K in Key]: Lower<K> } = {
  all: (each, path, lowering) => logic('&&', several(each, path, lowering)),
  any: (each, path, lowering) => logic('||', several(each, path, lowering)),
  not: (inner, path, lowering) => not(lowerCondition(inner, path, lowering)),
  step_ok: (step, path, lowering) =>
    compare('==', at(stepTree(step, path, lowering), literal('status')), literal('SUCCEEDED')),
  exit_code: ({ step, op, value }, path, lowering) => {
    const code = at(stepTree(step, [...path, 'step'], lowering), literal('exit_code'));
    // A step that has not run has no exit code, and then the condition is false.
    return logic('&&', [compare('!=', code, literal(null)), compare(op, code, literal(value))]);
  },
  file_exists: (file, path, lowering) => {
    const value = lowerValue(file, path, lowering);
    if (value.kind === 'literal')
      checkPath(lowering.diagnostics, path, [{ kind: 'text', text: String(value.value) }]);
    return call('exists', value);
  },
  env_set: envSet,
  equals,
  contains: ({ haystack, needle }, path, lowering) =>
    call(
      'includes',
      lowerValue(haystack, [...path, 'haystack'], lowering),
      lowerValue(needle, [...path, 'needle'], lowering),
    ),
  regex,
  number: ({ left, op, right }, path, lowering) =>
    compare(op, call('number', lowerValue(left, [...path, 'left'], lowering)), literal(right)),
};

function several(each: readonly ConditionInput[], path: Path, lowering: Lowering): Tree[] {
  return each.map((inner, index) => lowerCondition(inner, [...path, index], lowering));
}

/** A step that a condition names; its name may contain variables. */
function stepTree(name: string, path: Path, lowering: Lowering): Tree {
  const key = lowerValue(name, path, lowering);
  if (key.kind !== 'literal') return at(pathTree(['steps']), key);
  const tree = pathTree(['steps', String(key.value)]);
  // A condition can refer to a step that has not run.
  return lowering.diagnostics.writtenAs(path, tree, orNull(tree));
}

function envSet(name: string, path: Path, lowering: Lowering): Tree {
  const key = lowerValue(name, path, lowering);
  const word = key.kind === 'literal' ? String(key.value) : null;
  if (word !== null && lowering.secrets.has(word)) return literal(true);
  if (word !== null && lowering.env?.has(word) === false)
    lowering.diagnostics.error(
      'E_VAR_MISSING',
      path,
      `nothing allows \`${word}\` to be looked at`,
      `name it under \`env: [${word}]\` of the workflow`,
    );
  return compare('!=', at(pathTree(['env']), key), literal(null));
}

function equals({ left, right }: { left: string; right: string }, path: Path, lowering: Lowering): Tree {
  const one = lowerValue(left, [...path, 'left'], lowering);
  const other = lowerValue(right, [...path, 'right'], lowering);
  const tree = compare('==', one, other);
  if (other.kind === 'literal') writtenComparison(tree, one, other, [...path, 'right'], lowering);
  else if (one.kind === 'literal') writtenComparison(tree, other, one, [...path, 'left'], lowering);
  return tree;
}

/**
 * Records a comparison of one variable with a literal as its author wrote it. `path`: of the
 * literal.
 */
function writtenComparison(tree: Tree, side: Tree, word: Literal, path: Path, lowering: Lowering): void {
  const { diagnostics } = lowering;
  const [only, more] = nodesOf(side).flatMap((node) => {
    const written = diagnostics.asWritten(node);
    return written === node ? [] : [written];
  });
  const words = only === undefined || more !== undefined ? null : pathOf(only)?.map(({ name }) => name ?? '');
  if (words != null) diagnostics.writtenAs(path, tree, compare('==', pathTree(words), word));
}

function regex(
  { text, pattern, flags = '' }: NonNullable<ConditionInput['regex']>,
  path: Path,
  lowering: Lowering,
): Tree {
  const wanted = lowerValue(pattern, [...path, 'pattern'], lowering);
  if (wanted.kind === 'literal') {
    const problem = patternProblem(String(wanted.value), flags);
    const key = problem?.includes('flag') === true ? 'flags' : 'pattern';
    if (problem !== null)
      lowering.diagnostics.error(
        'E_EXPRESSION',
        [...path, key],
        problem,
        'patterns are those of RE2: no references back',
      );
  }
  return call('matches', lowerValue(text, [...path, 'text'], lowering), wanted, literal(flags));
}
