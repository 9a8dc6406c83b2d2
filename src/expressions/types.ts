import { parseExactJson } from '../kernel/json.ts';
import { functionOf, type Language } from './language.ts';
import { pathOf, type Segment } from './references.ts';
import type { Tree } from './tree.ts';
import { typeOf, type JsonType } from './values.ts';

/** The possible types of a value; null when unknown. */
export type Types = ReadonlySet<JsonType> | null;

/**
 * The possible types of an expression's value, as far as literals, operators and functions
 * determine them, and `typesAt` for the paths that it reads. Does not count absent values.
 */
export function typesOf(tree: Tree, language: Language, typesAt: (path: readonly Segment[]) => Types): Types {
  const types = (part: Tree): Types => typesOf(part, language, typesAt);
  switch (tree.kind) {
    case 'literal':
      return new Set([typeOf(tree.value)]);
    case 'name':
    case 'index': {
      const path = pathOf(tree);
      return path === null ? null : typesAt(path);
    }
    case 'not':
    case 'comparison':
      return new Set(['boolean']);
    case 'arithmetic':
      return new Set(['number']);
    case 'logic':
      return union(tree.operands.map(types));
    case 'choice':
      return union([types(tree.whenTrue), types(tree.whenFalse)]);
    case 'call': {
      const called = functionOf(language, tree.name);
      if (called === undefined) return null;
      if (called.kind === 'fallback') return union(tree.operands.map(types));
      const [text] = tree.operands;
      const isText = called.name === 'fromJSON' && text?.kind === 'literal' && typeof text.value === 'string';
      const value = isText ? parseExactJson(text.value) : undefined;
      if (value !== undefined) return new Set([typeOf(value)]);
      return called.gives === null ? null : new Set(called.gives);
    }
  }
}

function union(all: readonly Types[]): Types {
  const known = all.flatMap((types) => (types === null ? [] : [...types]));
  return all.includes(null) ? null : new Set(known);
}
