import { isJsonObject, type Json, type JsonObject } from '../kernel/json.ts';
import { calculate } from './arithmetic.ts';
import { compare } from './compare.ts';
import { functionOf, type FileQuestion, type Language } from './language.ts';
import { expressionLimits } from './limits.ts';
import type { Span } from './problem.ts';
import { guardedNodes, pathOf, segmentOf } from './references.ts';
import { isDeeper, type Call, type Logic, type Tree } from './tree.ts';
import { isTrue, lookUp, property, toText } from './values.ts';

/** Why an expression has no value. */
type NoValue =
  | {
      /** It reads an absent value that is neither guarded nor optional. */
      readonly kind: 'absent';
      /** The path with dots: `steps.plan.values.files`. */
      readonly path: string;
      readonly span: Span;
    }
  | {
      /** A function rejected its arguments. */
      readonly kind: 'failed';
      readonly message: string;
      readonly span: Span;
    }
  | {
      /** It asks about files what has not been asked yet. */
      readonly kind: 'unseen';
      readonly asks: FileQuestion;
      readonly file: string;
      readonly span: Span;
    };

export type Evaluated =
  { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly why: NoValue };

/**
 * `value`: an absent value that is neither guarded nor optional ends the evaluation. `condition`:
 * absent values are null.
 */
type Purpose = 'value' | 'condition';

/** The key of a context under which answers about files are kept. No expression can name it. */
export const seenFiles = 'files seen';

/** The key of one answer about files. */
export function seenKey(asks: FileQuestion, file: string): string {
  return `${asks} ${file}`;
}

interface EvaluationContext {
  readonly context: JsonObject;
  readonly language: Language;
  readonly purpose: Purpose;
  /** Nodes that the expression guards against absence. */
  readonly guarded: ReadonlySet<Tree>;
}

/** Ends an evaluation; never leaves this file. */
class Stop extends Error {
  readonly why: NoValue;

  constructor(why: NoValue) {
    super(why.kind);
    this.why = why;
  }
}

/**
 * The value of a tree in a context of namespaces. Total: every tree and every JSON gives a value or
 * a reason. Evaluates only the operands that matter: one branch of a choice, `&&` and `||` up to
 * the deciding operand.
 */
export function evaluate(tree: Tree, context: JsonObject, language: Language, purpose: Purpose): Evaluated {
  if (isDeeper(tree, expressionLimits.treeDepth))
    return failed('the expression is nested too deeply', tree.span);
  const evaluation = { context, language, purpose, guarded: guardedNodes(tree, language) };
  try {
    return { ok: true, value: valueOf(tree, evaluation) };
  } catch (error) {
    if (error instanceof Stop) return { ok: false, why: error.why };
    throw error;
  }
}

/** The result for arguments that a function rejects. */
export function failed(message: string, span: Span): Extract<Evaluated, { ok: false }> {
  return { ok: false, why: { kind: 'failed', message, span } };
}

/** True or false, for `when` and `if`; an absent value reads as null. */
export function evaluateCondition(tree: Tree, context: JsonObject, language: Language): Evaluated {
  const result = evaluate(tree, context, language, 'condition');
  return result.ok ? { ok: true, value: isTrue(result.value) } : result;
}

function valueOf(tree: Tree, evaluation: EvaluationContext): Json {
  const found = read(tree, evaluation);
  if (found !== undefined) return found;
  if (
    evaluation.purpose === 'condition' ||
    evaluation.guarded.has(tree) ||
    isOptional(tree, evaluation.language)
  )
    return null;
  throw new Stop({ kind: 'absent', path: pathText(tree), span: tree.span });
}

/** A node's value; undefined when it is absent. */
function read(tree: Tree, evaluation: EvaluationContext): Json | undefined {
  const value = (part: Tree): Json => valueOf(part, evaluation);
  switch (tree.kind) {
    case 'literal':
      return tree.value;
    case 'name':
      return property(evaluation.context, tree.name, evaluation.language.comparing);
    case 'index': {
      const object = read(tree.object, evaluation);
      return object === undefined ? undefined : lookUp(object, value(tree.key), tree.comparing);
    }
    case 'not':
      return !isTrue(value(tree.operand));
    case 'comparison':
      return compare(tree.operator, value(tree.left), value(tree.right), tree.comparing);
    case 'arithmetic': {
      const result = calculate(tree.operator, value(tree.left), value(tree.right));
      if (!result.ok) throw new Stop({ kind: 'failed', message: result.message, span: tree.span });
      return result.value;
    }
    case 'logic':
      return logic(tree, value);
    case 'choice':
      return isTrue(value(tree.test)) ? value(tree.whenTrue) : value(tree.whenFalse);
    case 'call':
      return call(tree, evaluation, value);
  }
}

/** Whether the language allows the value of a path to be absent. */
function isOptional(tree: Tree, { optional = [] }: Language): boolean {
  const namespace = pathOf(tree)?.[0]?.name?.toLowerCase();
  return namespace !== undefined && optional.includes(namespace);
}

function logic(tree: Logic, value: (part: Tree) => Json): Json {
  let result: Json = null;
  for (const operand of tree.operands) {
    result = value(operand);
    if (isTrue(result) === (tree.operator === '||')) break;
  }
  return result;
}

function call(tree: Call, evaluation: EvaluationContext, value: (part: Tree) => Json): Json {
  const called = functionOf(evaluation.language, tree.name);
  const stop = (message: string): Stop => new Stop({ kind: 'failed', message, span: tree.span });
  if (called === undefined) throw stop(`there is no function \`${tree.name}\``);
  switch (called.kind) {
    case 'plain': {
      const result = called.call(tree.operands.map(value));
      if (!result.ok) throw stop(`\`${called.name}\`: ${result.message}`);
      return result.value;
    }
    case 'required': {
      const [operand = tree] = tree.operands;
      const result = read(operand, evaluation);
      if (result === undefined) throw new Stop({ kind: 'absent', path: pathText(operand), span: tree.span });
      return result;
    }
    case 'file': {
      const file = toText(value(tree.operands[0] ?? tree)) ?? '';
      const seen = evaluation.context[seenFiles];
      const { asks } = called;
      const key = seenKey(asks, file);
      const answer = isJsonObject(seen) && Object.hasOwn(seen, key) ? seen[key] : undefined;
      if (answer === undefined) throw new Stop({ kind: 'unseen', asks, file, span: tree.span });
      return answer;
    }
    case 'fallback': {
      for (const operand of tree.operands) {
        const result = value(operand);
        if (result !== null) return result;
      }
      return null;
    }
  }
}

/**
 * What a node reads, in its author's spelling; a call without its arguments: `fromJSON(…).name`.
 */
export function pathText(tree: Tree): string {
  if (tree.kind === 'name') return tree.name;
  if (tree.kind === 'call') return `${tree.name}(…)`;
  if (tree.kind !== 'index') return '(…)';
  const { name } = segmentOf(tree);
  return tree.written ?? `${pathText(tree.object)}.${name ?? '*'}`;
}
