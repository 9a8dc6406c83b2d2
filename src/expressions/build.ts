import type { Json } from '../kernel/json.ts';
import { nowhere, type Span } from './problem.ts';
import type { ComparisonOperator, Literal, Tree } from './tree.ts';

/*
 * Builds expressions that were written in another form, or not at all. Each node has the span of
 * its first part unless the caller passes one.
 */

export function literal(value: Literal['value'], span: Span = nowhere): Literal {
  return { kind: 'literal', value, span };
}

/** `a.b.c`, exactly as it is spelt. */
export function path(words: readonly string[], span: Span = nowhere): Tree {
  const [first = '', ...rest] = words;
  const name: Tree = { kind: 'name', name: first, span };
  return rest.reduce<Tree>((object, word) => at(object, literal(word, span)), name);
}

export function at(object: Tree, key: Tree): Tree {
  return { kind: 'index', object, key, comparing: 'exact', span: object.span };
}

export function call(name: string, ...operands: readonly Tree[]): Tree {
  const span = operands[0]?.span ?? nowhere;
  return { kind: 'call', name, nameSpan: span, operands, span };
}

/** A value that is written in the file, of any type. */
export function constant(value: Json): Tree {
  return typeof value === 'object' && value !== null
    ? call('fromJSON', literal(JSON.stringify(value)))
    : literal(value);
}

/** The value, or null when it is absent. */
export function orNull(tree: Tree): Tree {
  return call('default', tree, literal(null, tree.span));
}

export function compare(operator: ComparisonOperator, left: Tree, right: Tree): Tree {
  return { kind: 'comparison', operator, comparing: 'exact', left, right, span: left.span };
}

export function not(operand: Tree): Tree {
  return { kind: 'not', operand, span: operand.span };
}

/** True if all of the operands hold, or one of them; each counts as true or false. */
export function logic(operator: '&&' | '||', operands: readonly Tree[]): Tree {
  const [only, ...more] = operands;
  if (only === undefined) return literal(operator === '&&');
  return more.length === 0 ? only : { kind: 'logic', operator, operands, span: only.span };
}

export function choose(test: Tree, whenTrue: Tree, whenFalse: Tree): Tree {
  return { kind: 'choice', test, whenTrue, whenFalse, span: test.span };
}
