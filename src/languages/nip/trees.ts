import { nowhere, type Span } from '../../expressions/problem.ts';
import type { Tree } from '../../expressions/tree.ts';

/*
 * Trees of the machine's own language, which the texts of a definition become.
 */

export function literal(value: null | boolean | number | string, span: Span = nowhere): Tree {
  return { kind: 'literal', value, span };
}

/** `a.b.c`, letter by letter. */
export function path(words: readonly string[], span: Span): Tree {
  const [first = '', ...rest] = words;
  return rest.reduce<Tree>(
    (object, word) => ({ kind: 'index', object, key: literal(word, span), comparing: 'exact', span }),
    { kind: 'name', name: first, span },
  );
}

export function call(name: string, operands: readonly Tree[]): Tree {
  return { kind: 'call', name, nameSpan: nowhere, operands, span: operands[0]?.span ?? nowhere };
}
