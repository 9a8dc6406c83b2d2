import { evaluate } from '../expressions/evaluate.ts';
import type { Language } from '../expressions/language.ts';
import { expressionLimits } from '../expressions/limits.ts';
import { pathOf } from '../expressions/references.ts';
import {
  isDeeper,
  partsOf,
  type Arithmetic,
  type Call,
  type Comparison,
  type Literal,
  type Not,
  type Tree,
} from '../expressions/tree.ts';
import { isTrue } from '../expressions/values.ts';
import type { Json } from '../kernel/json.ts';
import { ownValue } from '../kernel/own.ts';

/**
 * Whether a `while` never has an iteration: its condition is false as long as its own steps have no
 * results, whatever else it reads. `isOwn`: whether a name is one of a step of the loop.
 */
export function neverBegins(condition: Tree, isOwn: (name: string) => boolean, language: Language): boolean {
  if (isDeeper(condition, expressionLimits.treeDepth)) return false;
  const value = valueAtStart(condition, isOwn, language);
  return value !== undefined && !isTrue(value);
}

const loopAtStart = { index: 0, iteration: 0, first: true };

/** Undefined: it depends on more than what is known before the first iteration. */
function valueAtStart(tree: Tree, isOwn: (name: string) => boolean, language: Language): Json | undefined {
  const valueOf = (part: Tree) => valueAtStart(part, isOwn, language);
  const path = pathOf(tree)?.map(({ name }) => name);
  if (path !== undefined) {
    const [namespace, name] = path;
    if (namespace === 'loop' && path.length === 2 && name != null) return ownValue(loopAtStart, name);
    return namespace === 'steps' && name != null && isOwn(name) ? null : undefined;
  }
  switch (tree.kind) {
    case 'literal':
      return tree.value;
    case 'not':
    case 'comparison':
    case 'arithmetic':
    case 'call':
      return computed(tree, partsOf(tree).map(valueOf), language);
    case 'logic': {
      // One operand decides, whatever those before it are.
      const values = tree.operands.map(valueOf);
      const decides = (value: Json | undefined) =>
        value !== undefined && isTrue(value) === (tree.operator === '||');
      return values.includes(undefined) ? values.find(decides) : (values.find(decides) ?? values.at(-1));
    }
    case 'choice': {
      const test = valueOf(tree.test);
      const [whenTrue, whenFalse] = [valueOf(tree.whenTrue), valueOf(tree.whenFalse)];
      if (test !== undefined) return isTrue(test) ? whenTrue : whenFalse;
      if (whenTrue === undefined || whenFalse === undefined) return undefined;
      return isTrue(whenTrue) === isTrue(whenFalse) ? whenTrue : undefined;
    }
    case 'index':
      return valueOf(tree.object) === null ? null : undefined;
    case 'name':
      return undefined;
  }
}

/** The value of a node whose parts are all known and plain. */
function computed(
  tree: Not | Comparison | Arithmetic | Call,
  values: readonly (Json | undefined)[],
  language: Language,
): Json | undefined {
  const operands = values.map((value): Literal | undefined =>
    value === undefined || (typeof value === 'object' && value !== null)
      ? undefined
      : { kind: 'literal', value, span: tree.span },
  );
  if (!operands.every((each) => each !== undefined)) return undefined;
  const [left, right] = operands;
  if (tree.kind === 'call') return given({ ...tree, operands }, language);
  if (tree.kind === 'not') return given({ ...tree, operand: left! }, language);
  return given({ ...tree, left: left!, right: right! }, language);
}

function given(tree: Tree, language: Language): Json | undefined {
  const result = evaluate(tree, {}, language, 'condition');
  return result.ok ? result.value : undefined;
}
