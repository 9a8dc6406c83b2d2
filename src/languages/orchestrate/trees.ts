import { call, literal } from '../../expressions/build.ts';
import type { Template, TemplatePart } from '../../expressions/template.ts';
import type { Tree } from '../../expressions/tree.ts';
import type { Json } from '../../kernel/json.ts';

/** A tree as its original text, if it was one. */
export function templateOf(tree: Tree): Template {
  const parts = tree.kind === 'call' && tree.name === 'concat' ? tree.operands : [tree];
  return parts.flatMap((part): TemplatePart[] => {
    if (part.kind !== 'literal' || typeof part.value !== 'string')
      return [{ kind: 'expression', tree: part }];
    return part.value === '' ? [] : [{ kind: 'text', text: part.value }];
  });
}

/** A value whose strings become trees. */
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
