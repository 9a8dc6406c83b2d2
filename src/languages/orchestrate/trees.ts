import type { Span } from '../../expressions/problem.ts';
import type { Template, TemplatePart } from '../../expressions/template.ts';
import type { ComparisonOperator, Tree } from '../../expressions/tree.ts';
import type { Json } from '../../kernel/json.ts';

/*
 * Expressions that have no text of their own: conditions are maps in this language, and values are texts.
 */

const nowhere: Span = { start: 0, end: 0 };

export function literal(value: null | boolean | number | string, span = nowhere): Tree {
  return { kind: 'literal', value, span };
}

/** `a.b.c`, letter by letter. */
export function path(words: readonly string[], span = nowhere): Tree {
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

export function compare(operator: ComparisonOperator, left: Tree, right: Tree): Tree {
  return { kind: 'comparison', operator, comparing: 'exact', left, right, span: left.span };
}

export function not(operand: Tree): Tree {
  return { kind: 'not', operand, span: operand.span };
}

/** All of them, or one of them, hold; each as true or false. */
export function logic(operator: '&&' | '||', operands: readonly Tree[]): Tree {
  const [only, ...more] = operands;
  if (only === undefined) return literal(operator === '&&');
  return more.length === 0 ? only : { kind: 'logic', operator, operands, span: only.span };
}

export function choose(test: Tree, whenTrue: Tree, whenFalse: Tree): Tree {
  return { kind: 'choice', test, whenTrue, whenFalse, span: test.span };
}

/** A tree as the text that it was, where it was one. */
export function templateOf(tree: Tree): Template {
  const parts = tree.kind === 'call' && tree.name === 'concat' ? tree.operands : [tree];
  return parts.flatMap((part): TemplatePart[] => {
    if (part.kind !== 'literal' || typeof part.value !== 'string')
      return [{ kind: 'expression', tree: part }];
    return part.value === '' ? [] : [{ kind: 'text', text: part.value }];
  });
}

/** A value whose texts become trees. */
export function valueTree(
  value: Json,
  text: (text: string, path: readonly (string | number)[]) => Tree,
): Tree {
  const tree = (inner: Json, way: readonly (string | number)[]): Tree => {
    if (typeof inner === 'string') return text(inner, way);
    if (inner === null || typeof inner !== 'object') return literal(inner);
    if (Array.isArray(inner)) return call('list', ...inner.map((each, index) => tree(each, [...way, index])));
    const entries = Object.entries(inner);
    return call('map', ...entries.flatMap(([key, each]) => [literal(key), tree(each, [...way, key])]));
  };
  return tree(value, []);
}
